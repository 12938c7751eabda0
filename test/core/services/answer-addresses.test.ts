import { expect, test } from 'vitest'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { banking, done, payment } from './banking.ts'

test('SVC-04 a run refuses an event for another run, and treats one after its end as stale', async () => {
  const { start, sent, agent } = banking()
  await start()
  const [asked] = await sent()
  await agent.run('Pay', { runId: 'run-2' })
  const other = await agent.load('run-2')
  expect(await other.receive(done(asked))).toMatchObject({ answer: 'refused', runId: 'run-2' })
  const run = await agent.load(runId)
  await run.receive(done(asked))
  await run.settled()
  expect(await run.receive(done(asked, { id: 'e-2', data: { receipt: 'r-2' } }))).toMatchObject({ answer: 'stale' })
  expect(await run.receive(done(asked, { data: { receipt: 'changed' } }))).toMatchObject({ answer: 'duplicate' })
})

test("SVC-04 an agent refuses an answer for another agent's run in its store, and the run's own agent applies it", async () => {
  const { start, sent, agent, store } = banking()
  await start()
  const [asked] = await sent()
  const other = testAgent({ name: 'reviewer', store, services: [payment] }).agent
  const answer = done(asked)
  const { to: _, ...unaddressed } = answer
  expect(await other.receive(answer)).toMatchObject({ answer: 'refused', runId })
  expect(await other.receive({ ...unaddressed, subject: runId })).toEqual({
    answer: 'refused',
    runId,
    callId: '1.a',
    message: 'The event that it answers was sent by /agents/test/runs/run-1, and not by agent "reviewer".',
  })
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
  expect(await agent.receive(answer)).toEqual({ answer: 'applied', runId, callId: '1.a' })
})

test('SVC-04 a fork applies an answer that is addressed to it', async () => {
  const { start, sent, agent } = banking()
  await start()
  const [asked] = await sent()
  const { version: from = 0 } = (await (await agent.load(runId)).history()).at(-1) ?? {}
  const fork = await agent.fork(runId, { runId: 'fork-1', from })
  expect(await fork.receive(done(asked))).toMatchObject({ answer: 'refused' })
  const answer = done(asked, { to: '/agents/test/runs/fork-1' })
  expect(await fork.receive(answer)).toEqual({ answer: 'applied', runId: 'fork-1', callId: '1.a' })
  expect(await fork.settled()).toMatchObject({ status: 'done', text: 'Paid.' })
})
