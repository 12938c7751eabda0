import { expect, test } from 'vitest'
import { accountKind } from '../../../src/core/domain/account.ts'
import { rowsOf } from '../../../src/core/domain/records/record-read.ts'
import { createWorker } from '../../../src/core/workers/worker.ts'
import { deleteRun } from '../../../src/ports.ts'
import { asking, calling, cancelled, childOf, desk, receipt, result, shown } from './background-desk.ts'

test('TC-10 without a session the result waits for the next prompt, once in each branch that has the receipt', async () => {
  const { agent, read } = desk({ answers: [asking, 'Started.', 'Two, then.', 'Still two.'] })
  await agent.run('Go.', { runId: 'r1' })
  const run = await agent.load('r1')
  await read(await childOf(agent, 'r1'))
  expect(shown((await run.result()).undelivered ?? [])).toEqual([`user: ${result}`])
  const next = await run.prompt('How many?')
  const { messages, undelivered } = await next.settled()
  expect(undelivered).toBeUndefined()
  expect(shown(messages).slice(2)).toEqual([
    `toolResult: ${receipt}`,
    'assistant: Started.',
    `user: ${result}`,
    'user: How many?',
    'assistant: Two, then.',
  ])
  const last = await (await next.prompt('Sure?')).settled()
  expect(shown(last.messages).filter((text) => text.includes('Two lamps'))).toHaveLength(1)
  const branch = await (await run.prompt('Again?')).settled()
  expect(shown(branch.messages).filter((text) => text.includes('Two lamps'))).toHaveLength(1)
})

test('TC-10 a worker begins the next run of the session for a result', async () => {
  const { agent, read, store, until } = desk({ answers: [asking, 'Started.', 'Two lamps are broken.'] })
  const chat = agent.session('talk')
  const first = await chat.prompt('Go.')
  await first.settled()
  await read(await childOf(agent, first.id))
  await using worker = createWorker({ agents: [agent] })
  await until(async () => (await chat.messages()).length === 6)
  expect(shown(await chat.messages()).slice(-2)).toEqual([`user: ${result}`, 'assistant: Two lamps are broken.'])
  expect((await store.list({ session: 'talk' })).length).toBe(2)
  expect(worker.id).not.toBe('')
})

test('TC-10 AGT-18 charges a run that a result begins to the family that began the work, but not the next prompt', async () => {
  const { agent, read, store, until } = desk({ answers: [asking, 'Started.', 'Two lamps.', 'Bye.'] })
  const chat = agent.session('talk')
  const first = await chat.prompt('Go.')
  await first.settled()
  await read(await childOf(agent, first.id))
  await using _worker = createWorker({ agents: [agent] })
  await until(async () => (await chat.messages()).length === 6)
  await (await chat.prompt('Bye.')).settled()
  const every = rowsOf(accountKind, { values: [], limit: 9 })
  const accounts = (await store.records([every])).rows(accountKind, every).map(({ body }) => body.run)
  expect(accounts.toSorted()).toEqual([first.id, (await chat.state())?.lastRun])
})

test("TC-10 delivers a result to the session's active run", async () => {
  const { agent, store } = desk({ answers: [asking, 'Started.', calling('w', 'wait'), 'Two, then.'] })
  const chat = agent.session('talk')
  await (await chat.prompt('Go.')).settled()
  const { messages } = await (await chat.prompt('How many?')).settled()
  expect(shown(messages).slice(-3)).toEqual(['toolResult: Waited.', `user: ${result}`, 'assistant: Two, then.'])
  expect((await store.list({ session: 'talk' })).length).toBe(2)
})

test('TC-10 a result after an end at a limit waits for the next prompt, even with a worker', async () => {
  const { agent, read, until } = desk({ answers: [asking, 'Two, then.'], limits: { maxTurns: 1 } })
  const chat = agent.session('talk')
  const first = await chat.prompt('Go.')
  await first.settled()
  await using worker = createWorker({ agents: [agent] })
  await read(await childOf(agent, first.id))
  await until(async () => (await first.background())[0]?.status === 'ended')
  const { messages } = await (await chat.prompt('How many?')).settled()
  expect(shown(messages).slice(-3)).toEqual([`user: ${result}`, 'user: How many?', 'assistant: Two, then.'])
  expect(worker.id).not.toBe('')
})

test.each(['run', 'error'] as const)(
  'TC-10 no result follows a cancel by the end of the %s, and the next prompt begins with a note',
  async (what) => {
    let failures = 0
    const failing = () => (failures++ === 0 ? Promise.reject(new Error('broken')) : 'Fine.')
    const { agent, store, until } = desk({
      answers: [asking, what === 'run' ? calling('w', 'wait', { results: 9 }) : failing, 'Fine.'],
      read: () => new Promise(() => {}),
    })
    const run = agent.start('Go.', { runId: 'r1' })
    await until(async () => (await childOf(agent, 'r1')) !== '')
    if (what === 'run') await run.cancel()
    await run.settled()
    const childRunId = await childOf(agent, 'r1')
    await until(async () => (await store.record(childRunId)).status === 'done')
    expect(await store.record(childRunId)).toMatchObject({ doneReason: 'cancelled' })
    const { messages } = await (await run.prompt('And now?')).settled()
    expect(shown(messages).slice(-3)).toEqual([`user: ${cancelled}`, 'user: And now?', 'assistant: Fine.'])
  },
)

test('TC-10 cancelling a call that has its receipt cancels its work', async () => {
  const { agent, store, until } = desk({
    answers: [asking, 'Started.', 'Fine.'],
    read: () => new Promise(() => {}),
  })
  const run = agent.start('Go.', { runId: 'r1' })
  await run.settled()
  const childRunId = await childOf(agent, 'r1')
  expect(await run.cancelCall('1.b')).toEqual({ target: '1.b', answer: 'applied' })
  expect((await run.background())[0]?.status).toBe('cancelled')
  await until(async () => (await store.record(childRunId)).status === 'done')
  expect((await run.cancelCall('1.b')).answer).toBe('stale')
  const { messages } = await (await run.prompt('And now?')).settled()
  expect(shown(messages).slice(-3)).toEqual([`user: ${cancelled}`, 'user: And now?', 'assistant: Fine.'])
})

test('TC-10 ignores a result whose parent was deleted', async () => {
  const { agent, store, until, read } = desk({ answers: [asking, 'Started.'] })
  const run = agent.start('Go.', { runId: 'r1' })
  await run.settled()
  const childRunId = await childOf(agent, 'r1')
  await store.delete('r1')
  await read(childRunId)
  await agent.close({ drainMs: 1000 })
  expect(await store.list({})).toHaveLength(1)
  await until(async () => true)
})

test('TC-10 CKP-09 a session goes on without a result whose run was deleted with its parent before it was delivered', async () => {
  const { agent, store, read } = desk({ answers: [asking, 'Started.', 'Fine.', 'Fine.'] })
  const talk = agent.session('talk')
  const { runId } = await (await talk.prompt('Go.')).settled()
  await (await talk.prompt('And?')).settled()
  const childRunId = await childOf(agent, runId)
  await read(childRunId)
  await agent.close({ drainMs: 1000 })
  expect((await deleteRun(store, runId)).runs.toSorted()).toEqual([runId, childRunId].toSorted())
  const later = desk({ answers: [asking, 'Started.', 'Fine.', 'Fine.'], store }).agent
  const worker = createWorker({ agents: [later], store })
  await worker.drain({ drainMs: 1000 })
  const { status, messages } = await (await later.session('talk').prompt('And now?')).settled()
  expect([status, shown(messages).slice(-2)]).toEqual(['done', ['user: And now?', 'assistant: Fine.']])
  expect(shown(messages)).not.toContain(`user: ${result}`)
})

test('TC-10 a fork after the receipt gets the result, and a fork before it does not', async () => {
  const { agent, read } = desk({ answers: [asking, 'Started.', 'Two, then.'] })
  const run = agent.start('Go.', { runId: 'r1' })
  await run.settled()
  await read(await childOf(agent, 'r1'))
  const history = await run.history()
  const behind = history.find(({ names }) => names.includes('ToolResultsCommitted'))
  const before = history.find(({ names }) => names.includes('UserMessage'))
  const fork = await agent.fork('r1', { from: behind?.version ?? 0, runId: 'f1' })
  const { messages } = await fork.settled()
  expect(shown(messages).slice(-3)).toEqual(['assistant: Started.', `user: ${result}`, 'assistant: Two, then.'])
  const other = await agent.fork('r1', { from: before?.version ?? 0, runId: 'f2' })
  const told = await other.settled()
  expect(shown(told.messages)).not.toContain(`user: ${result}`)
})

test('TC-10 a result still arrives after its receipt was compacted', async () => {
  const { agent, read } = desk({ answers: [asking, 'Started.', 'Two, then.'] })
  const run = agent.start('Go.', { runId: 'r1' })
  await run.settled()
  const smaller = await run.compact()
  await read(await childOf(agent, 'r1'))
  const { messages } = await (await smaller.prompt('How many?')).settled()
  expect(shown(messages).slice(-3)).toEqual([`user: ${result}`, 'user: How many?', 'assistant: Two, then.'])
})
