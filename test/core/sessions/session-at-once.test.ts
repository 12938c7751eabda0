import { expect, test } from 'vitest'
import { say } from '../../../proof/support/say.ts'
import { heldReply, testAgent } from '../../../proof/support/test-agent.ts'
import type { Run } from '../../../src/index.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { findSession } from '../../../src/core/driving/find-sessions.ts'
import { sessionKind } from '../../../src/core/domain/session-record.ts'
import { FoundRecords } from '../../../src/core/domain/records/found-records.ts'

const isRun = (result: PromiseSettledResult<Run>) => (result.status === 'fulfilled' ? [result.value] : [])

test('AGT-02 one of two handles that prompt at once begins a run, and the other gets an error with advice', async () => {
  const store = memoryStore()
  const held = heldReply()
  const [one, two] = [
    testAgent({ store, replies: [held.reply] }),
    testAgent({ store, replies: ['Two'], process: 'p2' }),
  ]
  const results = await Promise.allSettled([one.agent.session('s').prompt('A'), two.agent.session('s').prompt('B')])
  const runs = results.flatMap(isRun)
  expect(runs.length).toBe(1)
  expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { name: 'UsageError', code: 'run_busy', message: expect.stringContaining('steer()') },
  })
  held.give('One')
  await runs[0]?.settled()
  expect((await store.list({})).length).toBe(1)
  expect(await one.agent.session('s').state()).toMatchObject({ runs: 1 })
})

test('AGT-01 keeps each message that many handles send at once while no run is active, exactly once', async () => {
  const store = memoryStore()
  const { agent, prompts } = testAgent({ store, replies: ['One'], queueModes: { steer: 'all' } })
  const said = Array.from({ length: 20 }, (_, index) => `S${index}`)
  await Promise.all(said.map((text) => agent.session('s').steer(text)))
  await (await agent.session('s').prompt('Hi')).settled()
  const heard = prompts.flat().filter((line) => line.startsWith('user: S'))
  expect(new Set(heard).size).toBe(said.length)
  expect((await agent.session('s').messages()).map(say).filter((line) => line.startsWith('user: S')).length).toBe(
    said.length,
  )
})

test('AGT-01 keeps a message to a run that ended meanwhile for the next one', async () => {
  const inner = memoryStore()
  const { agent } = testAgent({ store: inner, replies: ['One'] })
  await (await agent.session('s').prompt('Hi')).settled()
  // A session that is read as it was before its run has ended.
  let isLate = true
  const store: Store = {
    ...inner,
    records: async (reads) => {
      const found = await inner.records(reads)
      const isOfSession = reads.some((read) => 'key' in read && read.table === sessionKind)
      const row = isLate && isOfSession ? found.row(sessionKind, 's') : undefined
      if (row === undefined) return found
      isLate = false
      const late = { ...row, runStatus: 'running' }
      return new FoundRecords(
        reads,
        reads.map((read) => ('key' in read && read.table === sessionKind ? [late] : [])),
      )
    },
  }
  await testAgent({ store }).agent.session('s').followUp('After that')
  expect((await agent.session('s').state())?.queued).toMatchObject([{ item: { kind: 'followUp' } }])
})

test("AGT-01 continues after a run's process was killed, once another process has taken the run over", async () => {
  const store = memoryStore()
  const held = heldReply()
  const first = testAgent({ store, replies: [held.reply] })
  const run = await first.agent.session('s').prompt('Hi')
  await held.asked
  await run.detach()
  const second = testAgent({ store, replies: ['One', 'Two'], process: 'p2', clock: first.clock })
  const session = second.agent.session('s')
  await session.steer('Be short')
  await expect(session.prompt('More')).rejects.toMatchObject({
    code: 'run_busy',
    message: expect.stringContaining('resume()'),
  })
  const { active } = (await session.state()) ?? {}
  const resumed = await second.agent.resume(active?.runId ?? '')
  await resumed.run.settled()
  await (await session.prompt('More')).settled()
  expect((await session.messages()).map(say).filter((line) => line.startsWith('user'))).toEqual([
    'user: Hi',
    'user: Be short',
    'user: More',
  ])
})

test('AGT-01 retries a session that keeps changing while a run is begun, and each prompt gets its run', async () => {
  const store = memoryStore()
  const { agent } = testAgent({ store, replies: Array.from({ length: 30 }, (_, index) => `R${index}`) })
  for (let round = 0; round < 5; round++) {
    const session = agent.session('s')
    const [run] = await Promise.all([session.prompt(`P${round}`), session.steer('S'), agent.session('s').followUp('F')])
    await run.settled()
  }
  const state = await agent.session('s').state()
  expect(state?.runs).toBe(5)
  const said = (await agent.session('s').messages()).map(say).filter((line) => line.startsWith('user: '))
  const queued = state?.queued.length ?? 0
  expect(said.filter((line) => line.startsWith('user: P')).length).toBe(5)
  expect(said.length - 5 + queued).toBe(10)
})

test('AGT-01 starts a session over if it is deleted while a run is begun', async () => {
  const inner = memoryStore()
  const { agent } = testAgent({ store: inner, replies: ['One'] })
  await (await agent.session('s').prompt('Hi')).settled()
  const store: Store = {
    ...inner,
    read: async (id) => {
      if ((await findSession(inner, 's')) !== undefined) await agent.session('s').delete()
      return inner.read(id)
    },
  }
  const { agent: other, prompts } = testAgent({ store, replies: ['One'], process: 'p2' })
  await (await other.session('s').prompt('Anew')).settled()
  expect(prompts).toEqual([['user: Anew']])
})

test('AGT-01 a manual compaction, a prompt and another compaction at once do not make each other fail', async () => {
  const store = memoryStore()
  const [one, two] = [
    testAgent({ store, replies: ['One', 'Two'] }),
    testAgent({ store, replies: ['One', 'Two'], process: 'p2' }),
  ]
  const [here, there] = [one.agent.session('s'), two.agent.session('s')]
  await (await here.prompt('Hi')).settled()
  await Promise.all([here.compact(), there.compact(), here.compact()])
  expect((await store.list({})).length).toBe(4)
  const [run] = await Promise.all([here.prompt('More'), there.compact()])
  await run.settled()
  const messages = await here.messages()
  expect(messages.filter(({ role }) => role === 'extension').length).toBe(4)
  expect(messages.map(say).filter((line) => line.startsWith('user'))).toEqual(['user: Hi', 'user: More'])
})

test('AGT-01 skips run ids that other runs have when a session stores its own run', async () => {
  const { agent } = testAgent({ replies: ['One'] })
  const session = agent.session('s')
  await (await session.prompt('Hi')).settled()
  for (const runId of ['s.compacted.1', 's.compacted.2', 's.imported.1']) await agent.run('Hi', { runId })
  await session.compact()
  expect((await session.state())?.lastRun).toBe('s.compacted.3')
  await session.compact()
  expect((await session.state())?.lastRun).toBe('s.compacted.4')
  expect((await session.restore(await session.save())).runId).toBe('s.imported.2')
})
