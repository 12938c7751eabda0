import { expect, test } from 'vitest'
import { z } from 'zod'
import { runId, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import { type Run, tool } from '../../../src/index.ts'
import type { StoredEvent } from '../../../src/ports.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const act = tool({
  name: 'act',
  description: '-',
  effects: 'none',
  input: z.object({ n: z.number() }),
  execute: ({ n }) => `did ${n}`,
})
const acting = (...ns: readonly number[]) => ({ toolCalls: ns.map((n) => ({ name: 'act', arguments: { n } })) })
const stored = (options: TestAgentOptions) => testAgent({ tools: [act], ...options })

async function readAll(run: Run): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  for await (const event of run.events({ deltas: false })) events.push(event)
  return events
}

test('EVT-04 a reader reads the log page by page, beginning at the entry of its event', async () => {
  const inner = memoryStore()
  const whole: string[] = []
  const asked: (readonly [number, number])[] = []
  const store: Store = {
    ...inner,
    read: (id) => {
      whole.push(id)
      return inner.read(id)
    },
    entries: async (id, after, limit) => {
      const entries = await inner.entries(id, after, limit)
      asked.push([after, entries.length])
      return entries
    },
  }
  const turns = 40
  const replies = [...Array.from({ length: turns }, (_, n) => acting(n)), 'Done.']
  const { agent } = stored({ store, limits: false, replies })
  await agent.start('Go', { runId }).settled()
  const run = await agent.load(runId)
  whole.length = 0
  const all = await readAll(run)
  const length = asked.reduce((sum, [, count]) => sum + count, 0)
  expect(all.length).toBeGreaterThan(5 * turns)
  expect(Math.max(...asked.map(([, count]) => count))).toBeLessThanOrEqual(50)
  for (const seq of [0, 1, 2, 100, all.at(-1)?.seq ?? 0]) {
    asked.length = 0
    const rest: StoredEvent[] = []
    for await (const event of run.events({ after: seq, deltas: false })) rest.push(event)
    expect(rest).toEqual(all.filter((event) => event.seq > seq))
    expect(asked.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(length - seq + 1)
    expect(Math.min(...asked.map(([after]) => after))).toBe(Math.max(seq - 1, 0))
  }
  expect(whole).toEqual([])
})
