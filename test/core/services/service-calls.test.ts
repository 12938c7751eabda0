import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, calls } from '../../../proof/support/say.ts'
import { quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { contract } from '../../../src/index.ts'
import type { ServiceEvent } from '../../../src/core/services/index.ts'
import { banking, done, pay, payment } from './banking.ts'
import { markSent } from '../../../src/core/domain/outgoing.ts'
import { listOutgoing } from '../../../src/core/driving/list-outgoing.ts'

test('SVC-01 SVC-03 a call of a service suspends the run, and is sent as one event of the same commit', async () => {
  const { start, sent, store, agent, clock, prompts } = banking()
  const { status, suspended } = await start()
  expect(status).toBe('waiting')
  expect(suspended).toMatchObject([{ callId: '1.a', suspension: { reason: 'service' } }])
  expect(suspended[0]?.suspension?.expiresAt).toBe(clock.now() + 60_000)
  expect(await sent()).toEqual([
    {
      specversion: '1.0',
      id: '1.a',
      source: '/agents/test/runs/run-1',
      type: 'com.bank.payment',
      subject: 'talk-7',
      time: new Date(clock.now()).toISOString(),
      datacontenttype: 'application/json',
      contractversion: '1.0.0',
      executionunits: '2.5',
      delegatedby: '/agents/boss',
      domain: 'bank.north',
      data: { amount: 5, parentSubject$$: 'talk-7' },
    },
  ])
  const [row] = await listOutgoing(store)
  expect(row).toMatchObject({ id: '1.a', kind: 'event', destination: 'bank.north', state: 'pending' })
  expect(await agent.receive(done((await sent())[0]))).toEqual({ answer: 'applied', runId, callId: '1.a' })
  const run = await agent.load(runId)
  expect(await run.settled()).toMatchObject({ status: 'done', text: 'Paid.' })
  expect(prompts[1]?.join('\n')).toContain('{"receipt":"r-1"}')
  expect(await sent()).toHaveLength(1)
})

test('SVC-02 SVC-03 TOOL-06 a model sees a service by its type without dots, and without the subject field', async () => {
  const seen: unknown[] = []
  const { start } = banking({
    plugins: [
      {
        name: 'look',
        transformRequest: (request: { tools?: unknown }) => {
          seen.push(request.tools)
          return undefined
        },
      } as never,
    ],
  })
  await start()
  expect(JSON.stringify(seen[0])).toContain('com_bank_payment')
  expect(JSON.stringify(seen[0])).toContain('amount')
  expect(JSON.stringify(seen[0])).not.toContain('parentSubject')
  const twin = contract({ ...payment, type: 'com_bank_payment' })
  expect(() => testAgent({ services: [payment, twin] })).toThrow(/Two tools are named "com_bank_payment"/)
  const { act } = toolbox()
  expect(() => testAgent({ services: [payment], tools: [act('com_bank_payment')] })).toThrow(/Two tools are named/)
})

test.each([{}, { tenant: 'west' }, { tenant: 'toString' }])(
  "SVC-01 sends no call of a run with the labels %j to another tenant's domain if the contract has no domain for its own",
  async (labels) => {
    const { agent, store } = banking()
    await agent.run('Pay', { runId, labels })
    const [row] = await listOutgoing(store)
    expect(row).toMatchObject({ destination: payment.type })
    expect(row?.body).not.toHaveProperty('domain')
  },
)

test('SVC-01 sends nothing for a call whose arguments the contract refuses', async () => {
  const { start, sent, prompts } = banking({ replies: [calls(pay('a', 'much')), 'Sorry.'] })
  expect(await start()).toMatchObject({ status: 'done', text: 'Sorry.' })
  expect(prompts[1]?.join('\n')).toContain('Invalid arguments for "com_bank_payment"')
  expect(await sent()).toEqual([])
})

/** A payment that only somebody with a UUID may ask for, up to an amount. */
const strictPayment = contract({
  ...payment,
  accepts: z.object({ parentSubject$$: z.uuid(), amount: z.number() }).refine(({ amount }) => amount < 10, 'Too much.'),
})
const uuid = '6f1b0f2e-8a35-4d3c-9d0a-3b8a7a0c1d11'

test("SVC-01 SVC-02 checks the run's subject against a contract that restricts the subject", async () => {
  const replies = [calls(pay('a', 10)), calls(pay('b')), 'Paid.']
  const { agent, sent, prompts } = banking({ services: [strictPayment], replies })
  const run = await agent.run('Pay', { runId, subject: uuid })
  expect(run).toMatchObject({ status: 'waiting', suspended: [{ callId: '2.b' }] })
  expect(prompts[1]?.join('\n')).toContain('Too much.')
  expect(await sent()).toMatchObject([{ data: { amount: 5, parentSubject$$: uuid } }])
})

test('SVC-01 SVC-02 sends nothing for a run whose subject the contract refuses, for any answer of the model', async () => {
  const forged = call('a', 'com_bank_payment', { amount: 5, parentSubject$$: uuid })
  const { start, sent, prompts } = banking({ services: [strictPayment], replies: [calls(forged), 'Sorry.'] })
  expect(await start()).toMatchObject({ status: 'done', text: 'Sorry.' })
  expect(prompts[1]?.join('\n')).toContain('parentSubject$$ is the subject of this run: it cannot be changed')
  expect(await sent()).toEqual([])
})

test('SVC-01 sends nothing for a call that only a refinement of the contract refuses', async () => {
  const accepts = z
    .object({ parentSubject$$: z.string(), amount: z.number() })
    .refine(async ({ amount }) => amount < 10, 'Too much.')
  const services = [contract({ ...payment, accepts })]
  const { start, sent, prompts } = banking({ services, replies: [calls(pay('a', 10)), 'Sorry.'] })
  expect(await start()).toMatchObject({ status: 'done', text: 'Sorry.' })
  expect(prompts[1]?.join('\n')).toContain('Too much.')
  expect(await sent()).toEqual([])
})

test('SVC-01 RUN-03 lets the run continue with other calls if the contract allows it, and applies the late answer', async () => {
  const { act } = toolbox()
  const asking = (onPartialSuspension?: 'continue') => {
    const slow = contract({ ...payment, ...(onPartialSuspension && { onPartialSuspension }) })
    return banking({
      ...{ services: [slow], tools: [act('look')] },
      replies: [calls(pay('a'), call('b', 'look')), 'Meanwhile.', 'Paid.'],
    })
  }
  const waiting = asking()
  expect(await waiting.start()).toMatchObject({ status: 'waiting', turns: 1 })
  const { start, sent, agent, prompts } = asking('continue')
  expect(await start()).toMatchObject({ status: 'waiting', turns: 2, suspended: [{ callId: '1.a' }] })
  expect(prompts[1]?.join('\n')).toContain("Tool 'com_bank_payment' has not answered yet. Execution paused.")
  expect(await agent.receive(done((await sent())[0]))).toMatchObject({ answer: 'applied' })
  expect(await (await agent.load(runId)).settled()).toMatchObject({ status: 'done', text: 'Paid.' })
  const last = prompts[2]?.join('\n') ?? ''
  expect(last).toContain('{"receipt":"r-1"}')
  expect(last).toContain("[Tool 'com_bank_payment' finished: its result is now above.]")
  expect(last).not.toContain('has not answered yet')
})

test('SVC-05 returns an error event of a service as an error result', async () => {
  const { start, sent, agent, prompts } = banking()
  await start()
  const [asked] = await sent()
  const type = 'sys.com.bank.payment.error'
  expect(await agent.receive(done(asked, { type, data: { errorMessage: 'No money.' } }))).toMatchObject({
    answer: 'applied',
  })
  const result = await (await agent.load(runId)).settled()
  expect(result.messages).toContainEqual(expect.objectContaining({ role: 'toolResult', isError: true }))
  expect(prompts[1]?.join('\n')).toContain('No money.')
})

test.each([
  [
    'a cancel of the call',
    (run: Awaited<ReturnType<ReturnType<typeof banking>['agent']['load']>>) => run.cancelCall('1.a'),
  ],
  ['a cancel of the run', (run: Awaited<ReturnType<ReturnType<typeof banking>['agent']['load']>>) => run.cancel()],
  [
    'a denial',
    (run: Awaited<ReturnType<ReturnType<typeof banking>['agent']['load']>>) => run.deny('1.a', { reason: 'no' }),
  ],
])('SVC-01 notifies the service of %s', async (_, cancel) => {
  const { start, sent, agent } = banking()
  await start()
  const run = await agent.load(runId)
  await cancel(run)
  await run.settled()
  const [, told, ...others] = await sent()
  expect(others).toEqual([])
  expect(told).toMatchObject({
    id: '1.a.cancel',
    type: 'com.bank.payment.cancel',
    parentid: '1.a',
    domain: 'bank.north',
  })
})

test('SVC-01 returns an error result if a service does not answer in time, and notifies the service', async () => {
  const { start, sent, agent, clock, prompts } = banking()
  await start()
  clock.advance(60_001)
  const run = await agent.load(runId)
  expect(await run.settled()).toMatchObject({ status: 'done' })
  expect(prompts[1]?.join('\n')).toContain('no decision came before the request expired')
  expect((await sent()).map(({ type }) => type)).toEqual(['com.bank.payment', 'com.bank.payment.cancel'])
  const late = await agent.receive(done((await sent())[0]))
  expect(late).toMatchObject({ answer: 'stale' })
})

const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
]

test.each(orders)(
  'DEC-08 a run continues when the last of three answers has arrived: %i %i %i, each twice',
  async (...order) => {
    const { start, sent, agent, prompts } = banking({ replies: [calls(pay('a'), pay('b'), pay('c')), 'All paid.'] })
    await start()
    const asked = await sent()
    expect(asked.map(({ id }) => id)).toEqual(['1.a', '1.b', '1.c'])
    for (const [index, one] of order.entries()) {
      const event = done(asked[one], { data: { receipt: `r-${one}` } })
      expect(await agent.receive(event)).toMatchObject({ answer: 'applied' })
      expect(await agent.receive(event)).toMatchObject({ answer: 'duplicate' })
      expect(prompts).toHaveLength(1)
      const run = await agent.load(runId)
      expect(await run.settled()).toMatchObject({ status: index === 2 ? 'done' : 'waiting' })
      expect(await agent.receive(event)).toMatchObject({ answer: 'duplicate' })
    }
    expect(prompts).toHaveLength(2)
    const results = prompts[1]?.filter((line) => line.includes('receipt')) ?? []
    expect(results.map((line) => /r-\d/.exec(line)?.[0])).toEqual(['r-0', 'r-1', 'r-2'])
  },
)

test('DEC-08 processes each of three simultaneous answers once, though each arrives twice', async () => {
  const { start, sent, agent, prompts } = banking({ replies: [calls(pay('a'), pay('b'), pay('c')), 'All paid.'] })
  await start()
  const answers = (await sent()).map((asked) => done(asked, { data: { receipt: `r-${asked.id}` } }))
  const receipts = await Promise.all([...answers, ...answers].map((event) => agent.receive(event)))
  expect(receipts.map(({ answer }) => answer).toSorted()).toEqual(
    (['applied', 'duplicate'] as const).flatMap((answer) => [answer, answer, answer]),
  )
  expect(await (await agent.load(runId)).settled()).toMatchObject({ status: 'done', text: 'All paid.' })
  expect(prompts[1]?.slice(2)).toEqual(['1.a', '1.b', '1.c'].map((id) => `result ${id}: {"receipt":"r-${id}"}`))
})

test('SVC-01 applies an answer posted to the store unchanged, or drops it if it fits no contract', async () => {
  const { start, sent, agent, store, clock } = banking()
  await start()
  const [asked] = await sent()
  for (const { key } of await listOutgoing(store)) await store.change(markSent(key))
  const post = async (event: ServiceEvent) =>
    (await store.post(runId, { kind: 'serviceAnswer', body: event as never }, clock.now())).answer
  // The calls of two runs may have one id.
  expect(await post(done(asked, { to: '/agents/test/runs/run-2' }))).toBe('refused')
  expect(await post(done(asked, { to: '/agents/reviewer/runs/run-1' }))).toBe('refused')
  expect(await post(done(asked, { id: 'e-0', data: { nothing: true } }))).toBe('applied')
  const run = await agent.load(runId)
  expect(await run.settled()).toMatchObject({ status: 'waiting' })
  expect(await post(done(asked))).toBe('applied')
  expect(await run.settled()).toMatchObject({ status: 'done' })
  expect(await listOutgoing(store)).toMatchObject([{ state: 'sent' }])
  expect(await post(done(asked, { data: { receipt: 'changed' } }))).toBe('duplicate')
  expect(await post(done(asked, { id: 'e-2', data: { receipt: 'r-2' } }))).toBe('stale')
})

test.each<[string, string, (asked: ServiceEvent | undefined) => unknown]>([
  ['refused', 'JSON object', () => null],
  ['refused', 'JSON object', () => [1]],
  ['refused', 'specversion', (asked) => ({ ...done(asked), specversion: '0.3' })],
  ['refused', '"source" is missing', (asked) => done(asked, { source: '' })],
  ['refused', 'no "parentid"', (asked) => ({ ...done(asked), parentid: undefined })],
  ['refused', 'another name than a-z', (asked) => ({ ...done(asked), Parent_Id: 'x' })],
  ['refused', 'is not a text', (asked) => ({ ...done(asked), extra: { deep: 1 } })],
  ['refused', 'control character', (asked) => done(asked, { id: 'e-1\u001b[2J' })],
  ['refused', 'control character', (asked) => done(asked, { source: '/bank\ud800' })],
  ['refused', 'more than 2000 characters', (asked) => done(asked, { subject: 'x'.repeat(2_001) })],
  ['refused', 'bytes', (asked) => done(asked, { data: 'x'.repeat(10_000_000) })],
  ['refused', 'names no run', (asked) => done(asked, { to: '/elsewhere' })],
  ['refused', 'No run "run-9" is stored', (asked) => done(asked, { to: '/agents/test/runs/run-9' })],
  ['refused', 'of agent "test"', (asked) => done(asked, { to: '/agents/reviewer/runs/run-1' })],
  ['refused', 'of agent "test"', (asked) => done(asked, { to: '/agents/Test/runs/run-1' })],
  ['unknown', 'has sent no event "1.z"', (asked) => done(asked, { parentid: '1.z' })],
  ['refused', 'does not answer', (asked) => done(asked, { type: 'evt.bank.other' })],
  ['refused', 'does not answer', (asked) => done(asked, { type: '__proto__' })],
  ['refused', 'expected "1.0.0"', (asked) => done(asked, { contractversion: '2.0.0' })],
  ['refused', 'does not fit', (asked) => done(asked, { data: { receipt: 5 } })],
])('SVC-04 an invalid answer is %s (%s), and changes nothing', async (answer, reason, event) => {
  const { start, sent, agent, store } = banking()
  await start()
  const before = await store.read(runId)
  const receipt = await agent.receive(event((await sent())[0]))
  expect(receipt).toMatchObject({ answer })
  expect(receipt.message).toContain(reason)
  await quiet()
  expect(await store.inbox(runId, { isOpen: true })).toEqual([])
  expect(await store.read(runId)).toEqual(before)
})

test('SVC-01 an agent accepts only valid contracts', () => {
  expect(() => contract({ ...payment, emits: {} })).toThrow(/emits/)
  expect(() => contract({ ...payment, expiresInMs: 0 })).toThrow(/expiresInMs/)
  expect(() => contract({ ...payment, domain: '' })).toThrow(/domain/)
  expect(
    () =>
      contract({ ...payment, accepts: z.string() }) && testAgent({ services: [{ ...payment, accepts: z.string() }] }),
  ).toThrow(/cannot be shown to a model/)
  expect(() => testAgent({ services: [{ ...payment, accepts: z.object({ f: z.function() }) }] })).toThrow(/cannot be/)
})
