import { CloudEvent } from 'cloudevents'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { quiet, testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { contract } from '../../../src/index.ts'
import {
  type ServiceContract,
  type ServiceEvent,
  answerTo,
  inProcessBroker,
  serveAgent,
} from '../../../src/core/services/index.ts'
import { StoreError } from '../../../src/core/domain/store-error.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const review = contract({
  type: 'com.team.review',
  version: '1.0.0',
  accepts: z.object({ message: z.string() }),
  emits: { 'evt.team.review.done': z.object({ response: z.string() }) },
})

/** A writer that asks a reviewer, each with a store of its own, on one broker. */
function team(writer: TestAgentOptions, reviewer: TestAgentOptions, service: ServiceContract = review) {
  const clock = fakeClock()
  const inner = inProcessBroker()
  const events: ServiceEvent[] = []
  const broker = {
    ...inner,
    publish: (event: ServiceEvent) => {
      events.push(event)
      return inner.publish(event)
    },
  }
  const asking = testAgent({ name: 'writer', services: [service], broker, clock, ...writer })
  const asked = testAgent({ name: 'reviewer', process: 'p2', broker, clock, store: memoryStore(), ...reviewer })
  const stop = serveAgent(asked.agent, service, broker)
  const close = async () => {
    stop()
    await asking.agent.close()
    await asked.agent.close()
  }
  return { asking, asked, broker, events, clock, close }
}

const ask = (id: string, message = 'Please.') => call(id, 'com_team_review', { message })

test("AGT-16 SVC-05 an agent asks another as a service, and continues with that run's result", async () => {
  const { asking, asked, events, close } = team(
    { replies: [calls(ask('a')), 'Published.'] },
    { replies: [{ text: 'Fine.', executionUnits: 7 }] },
  )
  const run = asking.agent.start('Write', { runId: 'run-1', subject: 'talk-7' })
  await run.settled()
  await quiet()
  await quiet()
  expect(await run.result()).toMatchObject({ status: 'done', text: 'Published.' })
  const [question, answer, ...others] = events
  expect(others).toEqual([])
  expect(question).toMatchObject({ id: '1.a', type: 'com.team.review', source: '/agents/writer/runs/run-1' })
  expect(answer).toMatchObject({
    type: 'evt.team.review.done',
    parentid: '1.a',
    to: '/agents/writer/runs/run-1',
    subject: 'talk-7',
    toolinteractions: 1,
    executionunits: 7,
    contractversion: '1.0.0',
    delegatedby: '/agents/writer/runs/run-1',
    data: { response: 'Fine.' },
  })
  for (const event of events) expect(new CloudEvent(event as never).validate()).toBe(true)
  const [listed] = await asked.agent.runs()
  const child = await asked.agent.load(listed?.id ?? '')
  expect((await child.result()).run).toMatchObject({ delegatedBy: '/agents/writer/runs/run-1', subject: 'talk-7' })
  await close()
})

test('AGT-16 a repeated event begins no second run, with any body', async () => {
  const { asked, broker, close } = team({ replies: ['Idle.'] }, { replies: ['Fine.'] })
  const event = {
    specversion: '1.0' as const,
    id: 'e-1',
    source: '/somebody',
    type: review.type,
    data: { message: 'A' },
  }
  await broker.publish(event)
  await broker.publish(event)
  await broker.publish({ ...event, data: { message: 'B' } })
  await quiet()
  expect(await asked.agent.runs()).toHaveLength(1)
  expect(asked.prompts).toHaveLength(1)
  await close()
})

test('AGT-16 two sources that ask under one id begin a run each', async () => {
  const { asked, broker, close } = team({ replies: ['Idle.'] }, { replies: ['Fine.'] })
  const event = { specversion: '1.0' as const, id: '1.a', type: review.type, data: { message: 'A' } }
  await broker.publish({ ...event, source: '/agents/writer/runs/one' })
  await broker.publish({ ...event, source: '/agents/writer/runs/two', delegatedby: '/boss /team' })
  await quiet()
  const runs = await asked.agent.runs()
  const whose = await Promise.all(
    runs.map(async ({ id }) => (await (await asked.agent.load(id)).result()).run.delegatedBy),
  )
  expect(new Set(whose)).toEqual(new Set(['/agents/writer/runs/one', '/boss /team /agents/writer/runs/two']))
  await close()
})

test('AGT-16 rejects an event whose run cannot be stored, and accepts the same event later', async () => {
  const inner = memoryStore()
  let isDown = true
  const create: typeof inner.create = async (...given) => {
    if (isDown) throw new StoreError('store_busy', 'The store is busy.')
    return inner.create(...given)
  }
  const store = { ...inner, create, createAndCommit: undefined as never }
  const { asked, broker, close } = team({ replies: ['Idle.'] }, { replies: ['Fine.'], store })
  const event = {
    specversion: '1.0' as const,
    id: 'e-1',
    source: '/somebody',
    type: review.type,
    data: { message: 'A' },
  }
  await expect(broker.publish(event)).rejects.toThrow('busy')
  isDown = false
  await broker.publish(event)
  await quiet()
  expect(await asked.agent.runs()).toHaveLength(1)
  await close()
})

test('SVC-05 answers with the system error event if a run ends in an error or its data is refused', async () => {
  const { asking, broker, events, close } = team(
    { replies: [calls(ask('a')), 'Given up.'] },
    { replies: [{ error: { kind: 'auth', message: 'No key.' } } as never] },
  )
  const run = asking.agent.start('Write', { runId: 'run-1' })
  await run.settled()
  for (let round = 0; round < 6; round++) await quiet()
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    [review.type, { message: 'Please.' }],
    ['sys.com.team.review.error', { errorMessage: 'No key.' }],
  ])
  expect(asking.prompts[1]?.join('\n')).toContain('No key.')
  expect(await run.result()).toMatchObject({ status: 'done', text: 'Given up.' })
  await broker
    .publish({ specversion: '1.0', id: 'e-2', source: '/agents/writer/runs/run-1', type: review.type, data: 5 })
    .catch(() => undefined)
  expect(events.at(-1)).toMatchObject({ type: 'sys.com.team.review.error', parentid: 'e-2' })
  const old = { id: 'e-3', source: '/agents/writer/runs/run-1', contractversion: '0.9.0', data: { message: 'Please.' } }
  await broker.publish({ specversion: '1.0', type: review.type, ...old }).catch(() => undefined)
  const errorMessage = 'It is of version "0.9.0" of the contract "com.team.review"; expected "1.0.0".'
  expect(events.at(-1)).toMatchObject({ type: 'sys.com.team.review.error', parentid: 'e-3', data: { errorMessage } })
  await close()
})

test.each([true, false])(
  'SVC-05 sends the system error event for an answer that does not fit the contract (serving process: %s)',
  async (drive) => {
    const strict = contract({ ...review, emits: { 'evt.team.review.done': z.object({ grade: z.number() }) } })
    const [broker, store, events] = [inProcessBroker(), memoryStore(), [] as ServiceEvent[]]
    broker.subscribe({ to: '/client' }, (event) => events.push(event))
    const replies = ['Fine.']
    const serving = testAgent({ name: 'reviewer', broker, store, replies })
    const other = testAgent({ name: 'reviewer', process: 'p2', broker, store, replies })
    const order = { specversion: '1.0' as const, id: 'e', source: '/client', type: strict.type }
    const stop = serveAgent(serving.agent, strict, broker, { drive })
    await broker.publish({ ...order, data: { message: 'Please.' } })
    if (!drive) await other.agent.resume((await other.agent.runs())[0]?.id ?? '')
    for (let round = 0; round < 4; round++) await quiet()
    expect(events).toMatchObject([{ type: 'sys.com.team.review.error', parentid: 'e' }])
    expect(events[0]?.data).toEqual({
      errorMessage: expect.stringContaining('The answer does not fit "evt.team.review.done":'),
    })
    stop()
    await serving.agent.close()
    await other.agent.close()
  },
)

test('SVC-05 a cancelled run answers with a system error event that reports it', async () => {
  const { act } = toolbox()
  const { asking, asked, events, close } = team(
    { replies: [calls(ask('a')), 'Given up.'] },
    { replies: [calls(call('p', 'look'))], tools: [act('look', { needs: 'approval' })] },
  )
  const run = asking.agent.start('Write', { runId: 'run-1' })
  await run.settled()
  for (let round = 0; round < 4; round++) await quiet()
  const [served] = await asked.agent.runs()
  await (await asked.agent.load(served?.id ?? '')).cancel('Nobody is there.')
  await asked.agent.resume(served?.id ?? '')
  for (let round = 0; round < 6; round++) await quiet()
  expect(events.slice(1).map(({ type, data }) => ({ type, data }))).toEqual([
    { type: 'sys.com.team.review.error', data: { errorMessage: 'The run was cancelled: Nobody is there.' } },
  ])
  expect(await run.result()).toMatchObject({ status: 'done', text: 'Given up.' })
  await close()
})

test.each([true, false])('SVC-05 AGT-09 an answer contains the transcript only if history is %s', async (history) => {
  const whole = contract({ ...review, emits: { 'evt.team.review.done': { type: 'object' } } })
  const { asking, events, close } = team(
    { replies: [calls(ask('a')), 'Published.'] },
    { replies: ['Fine.'], history },
    whole,
  )
  await asking.agent.start('Write', { runId: 'run-1' }).settled()
  for (let round = 0; round < 4; round++) await quiet()
  const said = [
    expect.objectContaining({ role: 'user', content: [{ type: 'text', text: 'Please.' }] }),
    expect.objectContaining({ role: 'assistant', content: [{ type: 'text', text: 'Fine.' }] }),
  ]
  expect(events[1]?.data).toEqual({ response: 'Fine.', ...(history ? { history: said } : {}) })
  await close()
})

test('SVC-05 DEC-08 two delegated tasks that wait for people send nothing after the first answer, and one completion after the second', async () => {
  const { act } = toolbox()
  const { asking, asked, broker, events, close } = team(
    { replies: [calls(ask('a', 'One'), ask('b', 'Two')), 'Both done.'] },
    { replies: [calls(call('p', 'look')), 'Reviewed.'], tools: [act('look', { needs: 'approval' })] },
  )
  const whole = contract({ ...review, type: 'com.team.whole', emits: { 'evt.team.whole.done': { type: 'object' } } })
  const stop = serveAgent(asking.agent, whole, broker)
  broker.subscribe({ types: ['evt.team.whole.done'] }, () => undefined)
  const order = { specversion: '1.0' as const, id: 'order-1', source: '/client', type: whole.type }
  await broker.publish({ ...order, data: { message: 'Publish.' } })
  const settle = async () => {
    for (let round = 0; round < 4; round++) await quiet()
  }
  await settle()
  const [parent] = await asking.agent.runs()
  const run = await asking.agent.load(parent?.id ?? '')
  const waiting = (await asked.agent.suspended()).flatMap((one) => ('record' in one ? one.record.id : []))
  expect(waiting).toHaveLength(2)
  const approve = async (child = '') => {
    await (await asked.agent.load(child)).approve()
    await asked.agent.resume(child)
    await settle()
  }
  await approve(waiting[0])
  expect(await run.result()).toMatchObject({ status: 'waiting', turns: 1 })
  const completions = () => events.filter(({ type }) => type === 'evt.team.whole.done')
  expect(completions()).toEqual([])
  await approve(waiting[1])
  expect(await run.result()).toMatchObject({ status: 'done', text: 'Both done.', turns: 2 })
  expect(completions()).toMatchObject([{ parentid: 'order-1', to: '/client', data: { response: 'Both done.' } }])
  const delegators = events
    .filter(({ type }) => type === review.type)
    .map(({ delegatedby, parentid }) => [delegatedby, parentid])
  expect(delegators).toEqual([
    ['/client', 'order-1'],
    ['/client', 'order-1'],
  ])
  stop()
  await close()
})

test('AGT-16 refuses to serve anything but an agent with a contract', () => {
  const { agent } = testAgent()
  const broker = inProcessBroker()
  const two = { ...review, emits: { one: {}, two: {} } }
  expect(() => serveAgent(agent, two, broker)).toThrow(/emits several types/)
  expect(() => serveAgent(agent, two, broker, { emits: 'three' })).toThrow(/one, two/)
  const closed = { ...review, emits: { one: z.object({ f: z.function() }) } }
  expect(() => serveAgent(agent, closed, broker)).toThrow(/schema of contract "[^"]+" cannot be checked/)
  expect(() => serveAgent({ name: 'x' } as never, review, broker)).toThrow(/received no agent/)
})

test('SVC-04 an answer has the id of the event that it answers, and an event without a subscriber is refused', async () => {
  const broker = inProcessBroker()
  const asked = { specversion: '1.0' as const, id: 'e-1', source: '/s', type: 't', subject: 'x' }
  const answer = answerTo(asked, { source: '/me', type: 'done', data: 1 })
  expect(answer).toMatchObject({ parentid: 'e-1', to: '/s', subject: 'x', source: '/me', type: 'done', data: 1 })
  expect(new CloudEvent(answer as never).validate()).toBe(true)
  await expect(broker.publish(answer)).rejects.toThrow('There is no subscriber for events of type "done" for /s.')
})
