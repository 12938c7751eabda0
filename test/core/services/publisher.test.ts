import { expect, test } from 'vitest'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { quiet } from '../../../proof/support/test-agent.ts'
import { type Broker, type ServiceEvent, createPublisher } from '../../../src/core/services/index.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { listOutgoing, retryOutgoing } from '../../../src/core/driving/list-outgoing.ts'
import { sendItems, takeItems } from '../../../src/core/domain/outgoing.ts'

const event = (id: string, type = 'pay'): ServiceEvent => ({ specversion: '1.0', id, source: '/s', type })

async function outbox(...events: readonly ServiceEvent[]) {
  const store = memoryStore()
  const owner = { id: 'o', host: 'h', pid: 1, pidStart: '' }
  const lease = await store.create({ id: 'run', agent: 'a', input: {}, at: 0 }, owner, 1_000)
  let version = 0
  const send = async (...items: readonly ServiceEvent[]) => {
    await store.commit({
      ...{ runId: 'run', owner: lease.owner.id, fence: lease.fence, expectedVersion: version++, at: 0 },
      ...{ status: 'running', append: [], calls: [], document: '{}', consumed: [] },
      records: [sendItems('run', items.map(itemOf), 0)],
    })
  }
  if (events.length > 0) await send(...events)
  return { store, send }
}

const itemOf = (body: ServiceEvent) => ({ id: body.id, kind: 'event', destination: body.type, body: body as never })

function recording(refuse: (event: ServiceEvent, attempt: number) => boolean = () => false) {
  const heard: string[] = []
  const broker: Broker = {
    async publish({ id }) {
      heard.push(id)
      if (refuse(event(id), heard.filter((one) => one === id).length)) throw new Error('Down.')
    },
    subscribe: () => () => undefined,
  }
  return { broker, heard }
}

test('SVC-01 a publisher sends stored and new events in order for each destination', async () => {
  const { store, send } = await outbox(event('a1'), event('b1', 'other'), event('a2'))
  const { broker, heard } = recording()
  await using publisher = createPublisher({ store, broker, clock: fakeClock() })
  await quiet()
  expect(heard).toEqual(['a1', 'b1', 'a2'])
  await send(event('a3'))
  await quiet()
  expect(heard).toEqual(['a1', 'b1', 'a2', 'a3'])
  expect((await listOutgoing(store)).map(({ state }) => state)).toEqual(['sent', 'sent', 'sent', 'sent'])
  expect(await publisher.flush()).toBe(0)
})

test('SVC-01 retries a refused event at growing intervals, then sets it aside until it is retried by hand', async () => {
  const { store } = await outbox(event('a'), event('b'))
  const clock = fakeClock()
  let isDown = true
  const { broker, heard } = recording(({ id }) => isDown && id === 'a')
  const failures: string[] = []
  await using _ = createPublisher({
    ...{ store, broker, clock, maxAttempts: 3 },
    onFailure: ({ row, problem, isAside }) => {
      failures.push(`${row.id} ${row.attempts} ${problem} ${isAside}`)
      throw new Error('of no consequence')
    },
  })
  await quiet()
  expect(heard).toEqual(['a'])
  clock.advance(999)
  await quiet()
  expect(heard).toEqual(['a'])
  clock.advance(1)
  await quiet()
  clock.advance(2_000)
  await quiet()
  expect(heard).toEqual(['a', 'a', 'a', 'b'])
  expect(failures).toEqual(['a 1 Down. false', 'a 2 Down. false', 'a 3 Down. true'])
  expect(await listOutgoing(store, { state: 'aside' })).toMatchObject([{ id: 'a', problem: 'Down.' }])
  isDown = false
  await retryOutgoing(store, JSON.stringify(['run', 'event', 'pay', 'a']))
  await quiet()
  expect(heard).toEqual(['a', 'a', 'a', 'b', 'a'])
  expect(await listOutgoing(store, { state: 'sent' })).toHaveLength(2)
})

test('SVC-01 fails an attempt that never ends, without delaying other destinations', async () => {
  const { store } = await outbox(event('a'), event('b', 'other'))
  const clock = fakeClock()
  const heard: string[] = []
  const broker: Broker = {
    publish: ({ id }) => {
      heard.push(id)
      return id === 'a' ? new Promise(() => undefined) : Promise.resolve()
    },
    subscribe: () => () => undefined,
  }
  const publisher = createPublisher({ store, broker, clock, attemptMs: 5_000 })
  await quiet()
  expect(heard).toEqual(['a', 'b'])
  clock.advance(5_000)
  await quiet()
  expect(await listOutgoing(store)).toMatchObject([
    { problem: 'It was not accepted within 5000 ms.' },
    { state: 'sent' },
  ])
  await publisher.stop()
})

test('SVC-01 two publishers on one store send each event once, and one sends the rest of the other', async () => {
  const { store } = await outbox(...Array.from({ length: 20 }, (_, index) => event(`e${index}`, `t${index}`)))
  const clock = fakeClock()
  await store.change(takeItems({ kinds: ['event'], now: clock.now(), limit: 5, holdMs: 1_000 }))
  const { broker, heard } = recording()
  const publishers = [createPublisher({ store, broker, clock }), createPublisher({ store, broker, clock })]
  await quiet()
  expect(heard).toHaveLength(15)
  clock.advance(1_000)
  await quiet()
  expect(new Set(heard).size).toBe(20)
  expect(heard).toHaveLength(20)
  await Promise.all(publishers.map((one) => one.stop()))
})

test('SVC-01 a publisher refuses invalid options', () => {
  const store = memoryStore()
  const { broker } = recording()
  expect(() => createPublisher({ store, broker, maxAttempts: 0 })).toThrow(/maxAttempts/)
  expect(() => createPublisher({ store, broker: {} as never })).toThrow(/inProcessBroker/)
})

test('SVC-01 waits at most a minute before the next attempt, however often an event was tried', async () => {
  const { store } = await outbox(event('a'))
  const clock = fakeClock()
  const { broker, heard } = recording(() => true)
  await using _ = createPublisher({ store, broker, clock, maxAttempts: 12 })
  await quiet()
  for (let attempt = 1; attempt < 12; attempt++) {
    expect(heard).toHaveLength(attempt)
    clock.advance(60_000)
    await quiet()
  }
  expect(heard).toHaveLength(12)
})

test('SVC-01 a publisher continues once its store is reachable again', async () => {
  const { store } = await outbox(event('a'))
  const clock = fakeClock()
  const { broker, heard } = recording()
  let isDown = true
  const change: typeof store.change = async (given) => {
    if (isDown) throw new Error('Gone.')
    return store.change(given)
  }
  await using _ = createPublisher({ store: { ...store, change }, broker, clock })
  await quiet()
  isDown = false
  clock.advance(1_000)
  await quiet()
  expect(heard).toEqual(['a'])
})
