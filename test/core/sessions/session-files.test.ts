import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { call, calls, say } from '../../../proof/support/say.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'

const kilobyte = 'x'.repeat(1000)

test('AGT-01 CKP-06 a session of three runs, one waiting, is the same after its file was closed and reopened', async () => {
  using folder = temporaryFolder()
  const { act } = toolbox()
  const replies = ['One', 'Two', calls(call('a', 'act')), 'Three', 'Four', 'Five']
  const open = (process: string) => {
    const store = sqliteStore(folder.file('runs.db'), { synchronous: 'normal' })
    return {
      ...testAgent({ store, replies, tools: [act('act', { needs: 'approval' })], configId: 'c', process }),
      store,
    }
  }
  const first = open('p1')
  const begun = first.agent.session('s', { subject: 'oslo', metadata: { page: { number: 3 } } })
  for (const text of ['A', 'B', 'C']) await (await begun.prompt(text)).settled()
  await begun.followUp('After that')
  const before = await begun.state()
  const transcript = await begun.messages()
  await first.agent.close()
  await first.store.close()

  const second = open('p2')
  const session = second.agent.session('s')
  expect(await session.state()).toEqual(before)
  expect(before).toMatchObject({ runs: 3, lastRun: 's.c.3', active: { runId: 's.c.3', status: 'waiting' } })
  expect(await session.messages()).toEqual(transcript)
  await expect(session.prompt('D')).rejects.toMatchObject({ code: 'run_waiting' })
  const { run } = await second.agent.resume('s.c.3')
  await run.approve()
  await run.settled()
  const after = (await session.messages()).slice(transcript.length).map(say)
  expect(after).toContain('user: After that')
  await (await session.rerun({ tag: 'again' })).settled()
  await second.store.close()

  const third = open('p3')
  const last = third.agent.session('s')
  expect((await last.state())?.lastRun).toBe('s.c.4')
  expect((await last.messages()).map(say).slice(0, 5)).toEqual([
    'user: A',
    'assistant: One',
    'user: B',
    'assistant: Two',
    'user: C',
  ])
  const usage = await last.usage()
  const runs = await third.store.list({ session: 's' })
  const turns = await Promise.all(runs.map(async ({ id }) => (await (await third.agent.load(id)).result()).turns))
  expect(usage.turns).toBe(turns.reduce((sum, count) => sum + count))
  const active = (await last.state())?.active
  if (active !== undefined) await (await third.agent.load(active.runId)).cancel()
  if (active !== undefined) await (await third.agent.resume(active.runId)).run.settled()
  const id = await last.rotate()
  expect((await last.delete({ whereRead: 'keep' })).runs).toEqual([`${id}.rotated.1`])
  expect((await third.agent.session('s').delete()).runs.length).toBe(4)
  expect(await third.store.list({})).toEqual([])
  await third.store.close()
})

test('AGT-01 reads the usage of a session once for each branch, with any number of runs', async () => {
  using folder = temporaryFolder()
  const inner = sqliteStore(folder.file('runs.db'), { synchronous: 'normal' })
  let reads = 0
  const store = { ...inner, read: (id: string) => (reads++, inner.read(id)) }
  const replies = Array.from({ length: 60 }, () => 'Yes')
  const { agent } = testAgent({ store, replies })
  const session = agent.session('s')
  for (let count = 0; count < 40; count++) await (await session.prompt('And?')).settled()
  await (await session.branch({ prompt: 'Else' })).settled()
  await (await session.prompt('More')).settled()
  reads = 0
  expect((await session.usage()).turns).toBe(42)
  expect(reads).toBeLessThanOrEqual(3)
  await inner.close()
})

test('AGT-01 a fresh handle reads the transcript once for its first prompt, and not for the next', async () => {
  using folder = temporaryFolder()
  const file = folder.file('runs.db')
  const first = sqliteStore(file, { synchronous: 'normal' })
  const session = testAgent({ store: first, replies: ['One', 'Two', 'Three', 'Four'] }).agent.session('s')
  for (const text of ['A', 'B']) await (await session.prompt(text)).settled()
  await first.close()
  const inner = sqliteStore(file, { synchronous: 'normal' })
  const asked: string[] = []
  const counting = new Proxy(inner, {
    get: (store, name: keyof typeof inner) => {
      const method: unknown = Reflect.get(store, name)
      if (typeof method !== 'function') return method
      return (...given: unknown[]) => {
        asked.push(name)
        return Reflect.apply(method, store, given)
      }
    },
  })
  const { agent } = testAgent({ store: counting, replies: ['One', 'Two', 'Three', 'Four'], process: 'p2' })
  const fresh = agent.session('s')
  await (await fresh.prompt('C')).settled()
  expect(asked.filter((name) => readsLog.has(name))).toEqual(['read'])
  asked.length = 0
  await (await fresh.prompt('D')).settled()
  expect(asked.filter((name) => readsLog.has(name))).toEqual([])
  await inner.close()
})

const readsLog: ReadonlySet<string> = new Set(['read', 'checkpoint', 'calls', 'entries', 'events', 'checkpoints'])

test("AGT-01 CKP-04 a session's prompts write as much after fifty others as at its beginning", async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path, { synchronous: 'normal' })
  const reader = new DatabaseSync(path)
  reader.exec('BEGIN; SELECT count(*) FROM runs')
  const session = testAgent({ store, replies: Array.from({ length: 75 }, () => kilobyte) }).agent.session('s')
  const bytesOf = async (prompts: number) => {
    const before = statSync(`${path}-wal`).size
    for (let count = 0; count < prompts; count++) await (await session.prompt(kilobyte)).settled()
    return statSync(`${path}-wal`).size - before
  }
  await bytesOf(1)
  const early = await bytesOf(25)
  await bytesOf(24)
  const late = await bytesOf(25)
  expect(late / early).toBeLessThan(1.2)
  reader.close()
  await store.close()
})
