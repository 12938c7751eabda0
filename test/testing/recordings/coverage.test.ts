import { describe, expect, test } from 'vitest'
import { createAgent, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { coverage } from '../../../src/testing/index.ts'

const stamp = tool({
  name: 'stamp',
  description: 'Stamps.',
  input: { type: 'object' },
  needs: 'approval',
  execute: () => 'Stamped.',
})
const options = { name: 'clerk', tools: [stamp] }

/** Stores runs of the clerk that end as these words say. */
async function storeOf(...ends: readonly ('approved' | 'denied' | 'cut off')[]) {
  const store = memoryStore()
  for (const [index, end] of ends.entries()) {
    const calls = { toolCalls: [{ id: 'c1', name: 'stamp', arguments: {} }] }
    const model = scripted(end === 'cut off' ? ['Nothing.'] : [calls, 'Done.'])
    const run = createAgent({ ...options, store, model }).start('Go.', { runId: `${index}-${end}` })
    await run.settled()
    if (end === 'approved') await run.approve()
    if (end === 'denied') await run.deny()
    await run.settled()
  }
  return store
}

const decided = 'suspended.decided, call.resume'

describe('OBS-04 transitions over the runs of a store', () => {
  test('OBS-04 counts transitions by run, each with the newest run that takes it', async () => {
    const { runs, transitions, left } = await coverage(options, await storeOf('approved', 'approved', 'denied'))
    expect({ runs, left }).toEqual({ runs: 3, left: [] })
    const resumed = transitions.filter(({ chart, words }) => chart === 'toolCall' && words.startsWith(decided))
    expect(resumed.map(({ runs: count, runId }) => [count, runId])).toEqual([
      [2, '1-approved'],
      [1, '2-denied'],
    ])
    expect(transitions.some(({ runs: count, runId }) => count === 0 && runId === undefined)).toBe(true)
  })

  test("OBS-04 reports a transition as never taken in a store without the agent's runs, and ignores other agents' runs", async () => {
    const { runs, transitions } = await coverage({ ...options, name: 'other' }, await storeOf('approved'))
    expect(runs).toBe(0)
    expect(transitions.every(({ runs: count }) => count === 0)).toBe(true)
  })

  test('OBS-04 names transitions that a run takes and no generated test does', async () => {
    const store = await storeOf('approved')
    const untested = async (source: Parameters<typeof coverage>[0]) =>
      (await coverage(source, store)).transitions.filter(({ runs, isTested }) => runs > 0 && !isTested)
    expect(await untested(options)).toEqual([])
    const fewer = await untested({ ...options, turns: [] })
    expect(fewer.length).toBeGreaterThan(5)
    expect(fewer.every(({ runId }) => runId === '0-approved')).toBe(true)
  })
})
