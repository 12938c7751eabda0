import { expect, test } from 'vitest'
import type { AgentEvent, MessageDelta } from '../../../src/core/domain/event.ts'
import { EventQueue } from '../../../src/core/driving/event-queue.ts'

const head = { runId: 'run-1', subject: 'run-1', at: 0 }
const tool = { ...head, callId: '1.c1', toolName: 'act' }
const piece = (part: MessageDelta): AgentEvent => ({ ...head, type: 'message.updated', turn: 1, delta: part })
const delta = (text: string): AgentEvent => piece({ type: 'text', delta: text })
const progress = (text: string): AgentEvent => ({ ...tool, type: 'progress.reported', text })
const update = (partial: unknown): AgentEvent => ({ ...tool, type: 'toolExecution.updated', partial })
const resumed: AgentEvent = { ...head, type: 'run.resumed' }

const queue = () =>
  new EventQueue(
    () => {},
    () => {},
  )

function taken(stream: EventQueue): readonly AgentEvent[] {
  const events: AgentEvent[] = []
  for (let one = stream.shift(); one !== undefined; one = stream.shift()) events.push(one.event)
  return events
}

test.each<[string, (text: string) => AgentEvent]>([
  ['progress', progress],
  ['updates', update],
  ['pieces of many calls', (text) => piece({ type: 'toolCall', delta: 'x', id: text, name: 'act' })],
])('EVT-04 keeps a thousand %s for a slow watcher, and every event that follows a commit', async (_what, make) => {
  const stream = queue()
  for (let index = 0; index < 5_000; index++) stream.push(make(`${index}`))
  stream.push(resumed)
  const events = taken(stream)
  expect(events).toHaveLength(1_001)
  expect(events[999]).toEqual(make('999'))
  expect(events[1_000]).toEqual(resumed)
})

test('EVT-04 joins the pieces of a text for a slow watcher, and loses none', async () => {
  const stream = queue()
  for (let index = 0; index < 5_000; index++) stream.push(delta(`${index} `))
  stream.push(resumed)
  for (let index = 0; index < 5_000; index++) stream.push(delta('.'))
  const events = taken(stream)
  const texts = events.map((event) => (event.type === 'message.updated' ? event.delta.delta : event.type))
  const all = Array.from({ length: 5_000 }, (_, index) => `${index} `)
  expect(texts).toEqual([...all.slice(0, 99), all.slice(99).join(''), 'run.resumed', '.'.repeat(5_000)])
})

test('EVT-04 does not join pieces of different blocks, calls or turns', async () => {
  const stream = queue()
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
  const told = taken(stream).slice(100)
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
])(
  'EVT-04 keeps ten million characters of %s for a slow watcher, and always at least one event',
  async (_what, make, count) => {
    const stream = queue()
    const text = 'x'.repeat(2_500_000)
    for (let index = 0; index < 50; index++) stream.push(make(text))
    expect(taken(stream)).toHaveLength(count)
    const large = queue()
    large.push(make('x'.repeat(20_000_000)))
    large.push(make(text))
    expect(taken(large)).toHaveLength(1)
  },
)

test('EVT-04 accepts more events after the watcher has read some', async () => {
  const stream = queue()
  for (let index = 0; index < 2_000; index++) stream.push(progress('x'.repeat(10_000)))
  for (let index = 0; index < 500; index++) stream.shift()
  for (let index = 0; index < 2_000; index++) stream.push(progress('y'))
  expect(taken(stream)).toHaveLength(1_000)
})

test('EVT-04 drops all events for a reader that does not read, and returns the number at which it stopped', () => {
  const lost: number[] = []
  let added = 0
  const stream = new EventQueue(
    (behind) => void lost.push(behind),
    () => void added++,
  )
  stream.push(delta('one'))
  for (let seq = 5; seq < 10_005; seq++) stream.push({ ...resumed, seq }, seq - 1)
  expect(lost).toEqual([])
  stream.push({ ...resumed, seq: 10_005 }, 10_004)
  expect(lost).toEqual([4])
  expect([stream.size, stream.numbered?.behind, added]).toEqual([1, 10_004, 10_002])
})

test('EVT-04 keeps exactly ten million characters', async () => {
  const stream = queue()
  stream.push(delta('x'.repeat(9_999_999)))
  stream.push(delta('y'))
  stream.push(delta('z'))
  expect(taken(stream)).toEqual([delta('x'.repeat(9_999_999)), delta('y')])
})
