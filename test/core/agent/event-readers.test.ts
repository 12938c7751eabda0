import { expect, test } from 'vitest'
import { z } from 'zod'
import { runId, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import { type Run, tool } from '../../../src/index.ts'
import type { StoredEvent } from '../../../src/ports.ts'
import { sharedCommit } from '../../../src/core/driving/shared-commits.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'

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
  for await (const event of run.eventsAfter(0)) events.push(event)
  return events
}

test('EVT-04 a reader has no more of the log at a time than one commit', async () => {
  using folder = temporaryFolder()
  const inner = sqliteStore(folder.file('runs.db'), { synchronous: 'normal' })
  const whole: string[] = []
  const asked: number[] = []
  const store: Store = {
    ...inner,
    read: (id) => {
      whole.push(id)
      return inner.read(id)
    },
    entries: async (id, seqs) => {
      asked.push(new Set(seqs).size)
      return await inner.entries(id, seqs)
    },
  }
  const turns = 40
  const { agent } = stored({
    store,
    limits: false,
    replies: [...Array.from({ length: turns }, (_, n) => acting(n)), 'Done.'],
  })
  await agent.start('Go', { runId }).settled()
  const run = await agent.load(runId)
  whole.length = 0
  const reader = run.eventsAfter(0)
  expect(await reader.next()).toMatchObject({ value: { type: 'run.started', seq: 1 } })
  expect(asked.length).toBeLessThanOrEqual(1)
  let last = 1
  for await (const { seq } of reader) last = seq
  expect(last).toBeGreaterThan(5 * turns)
  // An answer, its calls, and the commit that ends the run, which names its messages by their places.
  expect(Math.max(...asked)).toBeLessThanOrEqual(3)
  expect(whole).toEqual([])
  await store.close()
})

test('EVT-04 many who read a run together have each commit read once, and none hands on what another changed', async () => {
  const inner = memoryStore()
  let asked = 0
  const store: Store = {
    ...inner,
    entries: async (id, seqs) => {
      asked++
      return await inner.entries(id, seqs)
    },
  }
  const { agent } = stored({ store, replies: [acting(1, 2), acting(3), 'Done.'] })
  const run = agent.start('Go', { runId })
  await run.settled()
  const alone = await readAll(run)
  const once = asked
  const changing = async () => {
    for await (const event of run.eventsAfter(0)) Object.assign(event, { type: 'changed' })
  }
  const all = await Promise.all([changing(), ...Array.from({ length: 30 }, () => readAll(run))])
  expect(all.slice(1)).toEqual(Array.from({ length: 30 }, () => alone))
  expect(asked).toBeLessThanOrEqual(2 * once)
})

test('EVT-04 others have their turn between the commits one reader reads', async () => {
  const { agent } = stored({ limits: false, replies: [...Array.from({ length: 40 }, (_, n) => acting(n)), 'Done.'] })
  const run = agent.start('Go', { runId })
  await run.settled()
  let turns = 0
  const tick = () => {
    turns++
    ticking = setImmediate(tick)
  }
  let ticking = setImmediate(tick)
  await readAll(run)
  clearImmediate(ticking)
  expect(turns).toBeGreaterThanOrEqual(40)
})

test('EVT-04 a reader that goes on reads the log from the commit of its event on', async () => {
  const inner = memoryStore()
  const from: (number | undefined)[] = []
  const store: Store = {
    ...inner,
    events: async (id, after, limit, at) => {
      from.push(at)
      return (await inner.events?.(id, after, limit, at)) ?? []
    },
  }
  const { agent } = stored({ store, replies: [acting(1), acting(2), acting(3), 'Done.'] })
  await agent.start('Go', { runId }).settled()
  const run = await agent.load(runId)
  const all = await readAll(run)
  for (const { seq } of all) {
    from.length = 0
    const rest: StoredEvent[] = []
    for await (const event of run.eventsAfter(seq)) rest.push(event)
    expect(rest).toEqual(all.slice(seq))
    const [place] = (await inner.events?.(runId, seq - 1, 1)) ?? []
    expect(from.slice(0, 2)).toEqual([undefined, (place?.seq ?? 0) - 1])
  }
})

test('EVT-04 of commits that were read once no more than the last hundred are looked for', async () => {
  const store = memoryStore()
  let made = 0
  const read = (name: string) => sharedCommit(store, name, async () => [{ seq: ++made } as unknown as StoredEvent])
  const held = read('first')
  expect(read('first')).toBe(held)
  for (let count = 0; count < 100; count++) read(`other ${count}`)
  expect(read('first')).not.toBe(held)
  expect(made).toBe(102)
})
