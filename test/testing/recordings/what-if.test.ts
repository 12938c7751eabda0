import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { diffRuns } from '../../../src/testing/recordings/diff-agents.ts'
import { whatIf } from '../../../src/testing/recordings/what-if.ts'
import type { AgentSource } from '../../../src/testing/paths/agent-under-test.ts'

const done: string[] = []
const send = tool({
  name: 'send',
  description: 'Sends money.',
  input: z.object({ amount: z.number() }),
  needs: ({ amount }) => amount > 100,
  execute: ({ amount }) => {
    done.push(`sent ${amount}`)
    return `Sent ${amount}`
  },
})
const look = tool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  effects: 'none',
  execute: () => 'seen',
})
const options = { name: 'clerk', tools: [send, look] }

/** Stores runs of the clerk that pay these amounts; amounts over 100 are approved, over 1000 denied. */
async function storeOf(...amounts: readonly number[]) {
  const store = memoryStore()
  for (const amount of amounts) {
    const model = scripted([
      { toolCalls: [{ id: 'c1', name: 'look', arguments: {} }] },
      { toolCalls: [{ id: 'c2', name: 'send', arguments: { amount } }] },
      'Done.',
    ])
    const run = createAgent({ ...options, store, model }).start('Pay.', { runId: `pays-${amount}` })
    if ((await run.settled()).status === 'done') continue
    if (amount > 1000) await run.deny()
    else await run.approve()
    await run.settled()
  }
  done.length = 0
  return store
}

describe('TST-07 what-if', () => {
  test.each<readonly [string, number, AgentSource, readonly string[], number]>([
    ['the same', 50, options, [], 3],
    ['the same, asked', 900, options, [], 3],
    ['the same, denied', 2000, options, [], 3],
    [
      'a lower limit',
      50,
      { ...options, tools: [{ ...send, needs: 'approval' }, look] },
      ['would ask about send (2.c2), because of approval'],
      2,
    ],
    [
      'a rule that asks',
      50,
      { ...options, permissions: { rules: { ask: ['look'] } } },
      ['would ask about look (1.c1), because of rule "look"'],
      1,
    ],
    [
      'no question',
      900,
      { ...options, tools: [{ ...send, needs: () => false }, look] },
      ['would no longer ask about send (2.c2)'],
      3,
    ],
    [
      'no question where somebody said no',
      2000,
      { ...options, tools: [{ ...send, needs: () => false }, look] },
      ['would no longer ask about send (2.c2)'],
      2,
    ],
    [
      'a tool gone',
      50,
      { ...options, tools: [send] },
      ['look (1.c1) would end failed (unknown_tool), and ended succeeded'],
      1,
    ],
    [
      'a stricter schema',
      50,
      {
        ...options,
        tools: [{ ...send, input: z.object({ amount: z.number(), to: z.string() }) }, look],
      },
      ['send (2.c2) would end failed (bad_arguments), and ended succeeded'],
      2,
    ],
  ])('%s: %i', async (_, amount, source, sentences, given) => {
    const store = await storeOf(amount)
    const before = JSON.stringify(await store.read(`pays-${amount}`))
    const found = await whatIf(source, store, `pays-${amount}`)
    expect(found.differences.map(({ text }) => text)).toEqual(sentences)
    expect(found.answers).toEqual({ given, stored: 3 })
    expect(done).toEqual([])
    expect(JSON.stringify(await store.read(`pays-${amount}`))).toBe(before)
  })

  test("TST-07 reports over a store which runs would ask and which would no longer, and another version's result", async () => {
    const store = await storeOf(50, 60, 900, 2000)
    const careful = {
      ...options,
      tools: [{ ...send, needs: ({ amount }: { readonly amount: number }) => amount > 55 }, look],
    }
    expect(await diffRuns(careful as AgentSource, store)).toMatchObject({
      runs: 4,
      asks: ['pays-60'],
      asksNoLonger: [],
      ends: [],
    })
    const careless = { ...options, tools: [{ ...send, needs: () => false }, look] }
    const { asksNoLonger, found } = await diffRuns(careless, store)
    expect(asksNoLonger.toSorted()).toEqual(['pays-2000', 'pays-900'])
    expect(found).toHaveLength(2)
    expect(await diffRuns(careless, store, { from: careless })).toMatchObject({
      runs: 4,
      found: [],
    })
  })
})
