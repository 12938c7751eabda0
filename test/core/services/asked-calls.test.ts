import { expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { runId } from '../../../proof/support/test-agent.ts'
import { banking, done, paid, pay } from './banking.ts'

test('SVC-01 PERM-04 a call that needs approval is sent once it is approved, and not if it is denied', async () => {
  const rules = { ask: ['com_bank_payment'] }
  const { start, sent, agent } = banking({ permissions: { rules }, replies: [calls(pay('a'), pay('b')), 'Done.'] })
  await start()
  expect(await sent()).toEqual([])
  const run = await agent.load(runId)
  expect(await run.approve('1.a')).toMatchObject({ answer: 'applied' })
  expect(await run.deny('1.b')).toMatchObject({ answer: 'applied' })
  expect(await run.settled()).toMatchObject({ status: 'waiting' })
  const [asked, ...others] = await sent()
  expect(others).toEqual([])
  expect(asked?.id).toBe('1.a')
  expect(await run.approve('1.a')).toMatchObject({ answer: 'refused' })
  expect(await run.decide([{ target: '1.a', action: 'resume', mode: 'replay' }])).toMatchObject([{ answer: 'refused' }])
  expect(await run.receive(done(asked))).toMatchObject({ answer: 'applied' })
  expect(await run.settled()).toMatchObject({ status: 'done' })
})

test('SVC-01 PERM-04 a grant for one call of a service allows no other call', async () => {
  const permissions = { rules: { ask: ['com_bank_payment'] } }
  const same = { ...pay('b'), arguments: pay('a').arguments }
  const { start, sent, agent } = banking({ permissions, replies: [calls(pay('a')), calls(same), 'Done.'] })
  await start()
  const run = await agent.load(runId)
  expect(await run.approve('1.a', { scope: 'once' })).toMatchObject({ answer: 'applied' })
  expect(await agent.grants()).toEqual([])
  await run.settled()
  const [asked] = await sent()
  await run.receive(done(asked))
  const { suspended } = await run.settled()
  expect(suspended).toMatchObject([{ callId: '2.b', suspension: { reason: 'approval' } }])
  expect((await sent()).map(({ id }) => id)).toEqual(['1.a'])
})

test.each(['run', 'always'] as const)(
  "SVC-01 PERM-05 refuses the scope %s on a service's call with advice, and grants nothing",
  async (scope) => {
    const { start, sent, agent } = banking({ permissions: { rules: { ask: ['com_bank_payment'] } } })
    await start()
    const run = await agent.load(runId)
    const message = `"scope" is "${scope}", and "com_bank_payment" is a service: each call that leaves is decided by itself. Leave "scope" out; a permission rule that allows or denies counts for all of them.`
    expect(await run.approve('1.a', { scope })).toMatchObject({ answer: 'refused', message })
    expect(await run.deny('1.a', { reason: 'no', scope })).toMatchObject({ answer: 'refused', message })
    expect([await agent.grants({ runId }), await agent.audit(), await sent()]).toEqual([[], [], []])
    expect(await run.approve('1.a')).toMatchObject({ answer: 'applied' })
    expect(await run.settled()).toMatchObject({ status: 'waiting', suspended: [{ suspension: { reason: 'service' } }] })
  },
)

test('SVC-04 PERM-05 an event posted to the store approves no call that waits for a person', async () => {
  const { start, sent, agent, store, clock } = banking({ permissions: { rules: { ask: ['com_bank_payment'] } } })
  await start()
  const event = { specversion: '1.0', id: 'e', source: '/bank', type: paid, parentid: '1.a', data: { receipt: 'r' } }
  expect(await store.post(runId, { kind: 'serviceAnswer', body: event }, clock.now())).toEqual({
    target: '1.a',
    answer: 'refused',
    message: 'No event of call "1.a" was sent, so no service can answer it. It waits for another reason: approval.',
  })
  const run = await agent.load(runId)
  expect(await run.settled()).toMatchObject({ status: 'waiting', suspended: [{ callId: '1.a' }] })
  expect(await sent()).toEqual([])
})

test('SVC-01 sends no cancel to a service that was not asked yet', async () => {
  const asked = Promise.withResolvers<void>()
  const gateCall = ({ signal }: { readonly signal: AbortSignal }) => {
    asked.resolve()
    return new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
  }
  const { agent, start, sent } = banking({ plugins: [{ name: 'slow', gateCall }] })
  const driving = start()
  await asked.promise
  await (await agent.load(runId)).cancelCall('1.a')
  expect(await driving).toMatchObject({ status: 'done' })
  expect(await sent()).toEqual([])
})

test("SVC-02 SVC-03 sends the run's subject instead of one from the model", async () => {
  const forged = call('a', 'com_bank_payment', { amount: 5, parentSubject$$: 'talk-666' })
  const { start, sent } = banking({ replies: [calls(forged), 'Paid.'] })
  expect(await start()).toMatchObject({ status: 'waiting' })
  const events = await sent()
  expect(events.map(({ subject, data }) => ({ subject, data }))).toEqual([
    { subject: 'talk-7', data: { amount: 5, parentSubject$$: 'talk-7' } },
  ])
})
