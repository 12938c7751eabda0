import { expect, test } from 'vitest'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { mortalOutbox } from '../../proof/support/mortal-outbox.ts'
import { call, calls } from '../../proof/support/say.ts'
import { quiet, runId, testAgent } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'
import type { Memory, MemoryItem } from '../../src/core/ports/memory.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { listOutgoing } from '../../src/core/driving/list-outgoing.ts'

/** The record of an external memory: it answers each query differently, so that repeated queries show. */
function outside() {
  const rows = new Map<string, MemoryItem>()
  let queries = 0
  let adds = 0
  const memory: Memory = {
    query: () => Promise.resolve([{ kind: 'answer', data: `Answer ${++queries}`, key: 'old', at: 0 }]),
    add: (item) => {
      adds++
      rows.set(item.key, item)
      return Promise.resolve()
    },
    forget: () => Promise.resolve(0),
  }
  return { memory, rows, counts: () => ({ queries, adds }) }
}

async function play(at: number, side: 'before' | 'after') {
  const clock = fakeClock()
  const inner = memoryStore({ clock })
  const { memory, rows, counts } = outside()
  const { act } = toolbox()
  let died = false
  const seen: (string | undefined)[] = []
  for (const [index, process] of ['p1', 'p2', 'p3'].entries()) {
    const { store, isDead } = mortalOutbox(inner, index === 0 ? at : -1, side)
    const replies = [calls(call('a', 'act'), call('b', 'act')), 'Done.']
    const { agent, prompts } = testAgent({
      replies,
      tools: [act('act', { effects: 'none' })],
      memory,
      store,
      clock,
      process,
    })
    const run = agent.start('Do it', { runId, userId: 'ann', ifExists: 'attach' })
    run.settled().catch(() => undefined)
    for (let round = 0; round < 12; round++) {
      await quiet()
      if (index > 0) clock.advance(40_000)
    }
    died ||= isDead()
    await agent.close().catch(() => undefined)
    seen.push(...prompts.map(([, note]) => note))
    if (index === 0 && !died) break
  }
  const { status, doneReason } = await inner.record(runId)
  const left = (await listOutgoing(inner, { runId })).map(({ id, state }) => `${id} ${state}`)
  const kept = [...rows.values()].map(({ kind, key, data }) => [kind, key, data])
  return { died, ending: { status, doneReason, left, kept }, notes: new Set(seen), counts: counts() }
}

test('CTX-04 a run killed at every write loses no memory, duplicates none, and keeps its recalled memories', async () => {
  const undisturbed = await play(-1, 'after')
  const keys = ['1.a', '1.b', 'end'].map((name) => `${runId}/${name}`)
  expect(undisturbed.ending).toMatchObject({
    status: 'done',
    doneReason: 'natural_end',
    left: keys.map((key) => `${key} sent`),
  })
  expect(undisturbed.counts).toEqual({ queries: 1, adds: 3 })
  let points = 0
  for (let at = 0; ; at++) {
    const before = await play(at, 'before')
    if (!before.died) break
    const after = await play(at, 'after')
    points += 2
    for (const { ending, notes, counts } of [before, after]) {
      const { kept, ...others } = ending
      const { kept: expected, ...undisturbedOthers } = undisturbed.ending
      expect({ at, ...others }).toEqual({ at, ...undisturbedOthers })
      expect(new Set(kept)).toEqual(new Set(expected))
      expect(kept).toHaveLength(3)
      // A model that was asked has read one answer of the memory, whoever asked the model.
      expect(notes.size).toBe(1)
      expect(counts.queries).toBeLessThanOrEqual(2)
      expect(counts.adds).toBeLessThanOrEqual(6)
    }
  }
  expect(points).toBeGreaterThan(12)
})
