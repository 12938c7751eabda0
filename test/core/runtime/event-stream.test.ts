import { expect, test } from 'vitest'
import type { AgentEvent, MessageDelta } from '../../../src/core/domain/event.ts'
import { EventStream } from '../../../src/core/runtime/event-stream.ts'

const head = { runId: 'run-1', subject: 'run-1', at: 0 }
const tool = { ...head, callId: '1.c1', toolName: 'act' }
const piece = (part: MessageDelta): AgentEvent => ({ ...head, type: 'message.updated', turn: 1, delta: part })
const delta = (text: string): AgentEvent => piece({ type: 'text', delta: text })
const progress = (text: string): AgentEvent => ({ ...tool, type: 'progress.reported', text })
const update = (partial: unknown): AgentEvent => ({ ...tool, type: 'toolExecution.updated', partial })
const resumed: AgentEvent = { ...head, type: 'run.resumed' }

async function taken(stream: EventStream): Promise<readonly AgentEvent[]> {
  stream.end()
  const events: AgentEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

test.each<[string, (text: string) => AgentEvent]>([
  ['progress', progress],
  ['updates', update],
  ['pieces of many calls', (text) => piece({ type: 'toolCall', delta: 'x', id: text, name: 'act' })],
])(
  'EVT-04 keeps a thousand %s for a watcher that lags, and every event that tells of a commit',
  async (_what, make) => {
    const stream = new EventStream(() => {})
    for (let index = 0; index < 5_000; index++) stream.push(make(`${index}`))
    stream.push(resumed)
    const events = await taken(stream)
    expect(events).toHaveLength(1_001)
    expect(events[999]).toEqual(make('999'))
    expect(events[1_000]).toEqual(resumed)
  },
)

test('EVT-04 puts the pieces of a text together for a watcher that lags, and loses none', async () => {
  const stream = new EventStream(() => {})
  for (let index = 0; index < 5_000; index++) stream.push(delta(`${index} `))
  stream.push(resumed)
  for (let index = 0; index < 5_000; index++) stream.push(delta('.'))
  const events = await taken(stream)
  const texts = events.map((event) => (event.type === 'message.updated' ? event.delta.delta : event.type))
  const all = Array.from({ length: 5_000 }, (_, index) => `${index} `)
  expect(texts).toEqual([...all.slice(0, 99), all.slice(99).join(''), 'run.resumed', '.'.repeat(5_000)])
})

test('EVT-04 puts no pieces together that are of two blocks, two calls or two turns', async () => {
  const stream = new EventStream(() => {})
  for (let index = 0; index < 100; index++) stream.push(progress(`${index}`))
  const pieces: readonly AgentEvent[] = [
    delta('a'),
    delta('b'),
    piece({ type: 'thinking', delta: 'c' }),
    piece({ type: 'thinking', delta: 'd' }),
    piece({ type: 'toolCall', delta: '{', id: '1', name: 'act' }),
    piece({ type: 'toolCall', delta: '}', id: '1', name: 'act' }),
    piece({ type: 'toolCall', delta: '{}', id: '2', name: 'act' }),
    delta('e'),
    { ...delta('f'), turn: 2 } as AgentEvent,
  ]
  for (const event of pieces) stream.push(event)
  const told = (await taken(stream)).slice(100)
  expect(told).toEqual([
    delta('ab'),
    piece({ type: 'thinking', delta: 'cd' }),
    piece({ type: 'toolCall', delta: '{}', id: '1', name: 'act' }),
    piece({ type: 'toolCall', delta: '{}', id: '2', name: 'act' }),
    delta('e'),
    { ...delta('f'), turn: 2 },
  ])
})

test.each<[string, (text: string) => AgentEvent, number]>([
  ['deltas', delta, 4],
  ['progress', progress, 4],
  ['updates', update, 3],
])('EVT-04 keeps ten million characters of %s for a watcher that lags, and always one', async (_what, make, count) => {
  const stream = new EventStream(() => {})
  const text = 'x'.repeat(2_500_000)
  for (let index = 0; index < 50; index++) stream.push(make(text))
  expect(await taken(stream)).toHaveLength(count)
  const large = new EventStream(() => {})
  large.push(make('x'.repeat(20_000_000)))
  large.push(make(text))
  expect(await taken(large)).toHaveLength(1)
})

test('EVT-04 takes in more once some were taken', async () => {
  const stream = new EventStream(() => {})
  for (let index = 0; index < 2_000; index++) stream.push(progress('x'.repeat(10_000)))
  for (let index = 0; index < 500; index++) await stream.next()
  for (let index = 0; index < 2_000; index++) stream.push(progress('y'))
  expect(await taken(stream)).toHaveLength(1_000)
})

test('EVT-04 ends a watcher that takes nothing with an error that says so, and tells it nothing more', async () => {
  let isClosed = false
  const stream = new EventStream(() => {
    isClosed = true
  })
  for (let index = 0; index < 10_000; index++) stream.push(resumed)
  expect(isClosed).toBe(false)
  stream.push(resumed)
  expect(isClosed).toBe(true)
  stream.push(resumed)
  await expect(stream.next()).rejects.toMatchObject({
    name: 'UsageError',
    code: 'events_missed',
    message:
      'More than 10000 events of this run were not taken. Take events as they come; result() and history() read what is stored.',
  })
})

test('EVT-04 keeps ten million characters to the last one', async () => {
  const stream = new EventStream(() => {})
  stream.push(delta('x'.repeat(9_999_999)))
  stream.push(delta('y'))
  stream.push(delta('z'))
  expect(await taken(stream)).toEqual([delta('x'.repeat(9_999_999)), delta('y')])
})

test('EVT-04 a watcher that leaves is given nothing of what it had not taken', async () => {
  const stream = new EventStream(() => {})
  stream.push(resumed)
  stream.push(delta('one'))
  expect(await stream.return()).toEqual({ done: true, value: undefined })
  expect(await stream.next()).toEqual({ done: true, value: undefined })
})
