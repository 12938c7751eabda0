import { expect, test } from 'vitest'
import type { CallRecord, CallStatus } from '../../../src/core/domain/call.ts'
import type { Json } from '../../../src/core/domain/text/json.ts'
import type { Message } from '../../../src/core/domain/message.ts'
import { userMessage } from '../../../src/core/domain/message.ts'
import { noUsage } from '../../../src/core/domain/usage.ts'
import type { Announcement } from '../../../src/core/step/effect-logic.ts'
import { Change, type TurnStanding, untoldAt } from '../../../src/core/runtime/change.ts'
import { eventsOf, pendingOf, type TellContext } from '../../../src/core/runtime/pending-events.ts'

const statuses: Readonly<Record<string, CallStatus>> = { a: 'succeeded', b: 'suspended', c: 'running', d: 'failed' }
const record = (callId: string, status: CallStatus) => ({ callId, status, seq: callId.charCodeAt(0) }) as CallRecord
const context = {
  runId: 'r',
  at: 7,
  message: () => undefined,
  toEvent: ({ type }: Announcement) => ({ type, runId: 'r', at: 7 }) as never,
  call: (callId: string) => {
    const status = statuses[callId]
    return status === undefined ? undefined : record(callId, status)
  },
}
const announced = (type: string) => ({ type }) as Announcement
const result = (callId: string): Message => ({
  role: 'toolResult',
  callId,
  toolCallId: callId,
  toolName: 'act',
  content: [],
  isError: false,
  status: 'success',
  timestamp: 1,
})

const turn = (number: number): Announcement => ({ type: 'turn.started', turn: number })
const extension: Message = { role: 'extension', kind: 'chart', data: null, timestamp: 1 }
const answer: Message = {
  role: 'assistant',
  content: [],
  stopReason: 'stop',
  model: 'm',
  provider: 'p',
  usage: noUsage,
  timestamp: 1,
}

/** What happens to a run, from one commit to the next. */
class PendingEvents {
  readonly #change = new Change()

  goOn(at: TurnStanding, between: readonly { readonly seq: number; readonly message: Message }[]): void {
    const messages = between.map((one) => ({ kind: 'message' as const, ...one, place: one.seq, turn: at.turn }))
    this.#change.untold = untoldAt(at, messages)
  }

  announce(announcement: Announcement): void {
    this.#change.happened.push({ kind: 'announcement', announcement })
  }

  message(seq: number, message: Message, place: number): void {
    this.#change.happened.push({ kind: 'message', seq, message, place })
  }

  callChanged(callId: string): void {
    this.#change.happened.push({ kind: 'call', callId })
  }

  stateChanged(state: Json): void {
    this.#change.happened.push({ kind: 'state', state })
  }

  /** The events of a commit, which is accepted. */
  flush(isCheckpoint: boolean, telling: TellContext) {
    if (isCheckpoint) this.#change.names.push('UserMessage')
    const pending = pendingOf(this.#change)
    this.#change.committed(pending.untold, true)
    return eventsOf(pending.told, telling)
  }
}

/** What a checkpoint tells, in short. */
function whole(events: PendingEvents): readonly string[] {
  return told(events, true)
}

/** What is told, in short. */
function told(events: PendingEvents, isCheckpoint: boolean): readonly string[] {
  return events.flush(isCheckpoint, context).map((event) => {
    expect(event).toMatchObject({ runId: 'r', at: 7 })
    if (event.type === 'message.ended') return `message ${event.place}`
    if (event.type === 'call.settled') return `${event.type} ${event.callId}`
    if (event.type === 'call.suspended') return `${event.type} ${event.call.callId}`
    return event.type === 'state.changed' ? `state ${JSON.stringify(event.state)}` : event.type
  })
}

test('EVT-01 tells calls that settled or were suspended, once, in their order and as the commit leaves them', () => {
  const events = new PendingEvents()
  for (const callId of ['b', 'a', 'c', 'gone', 'd', 'a']) events.callChanged(callId)
  expect(told(events, false)).toEqual(['call.settled a', 'call.suspended b', 'call.settled d'])
  expect(told(events, false)).toEqual([])
})

test('EVT-01 tells the last of several changes of the state, and every message and announcement', () => {
  const events = new PendingEvents()
  events.announce(turn(1))
  events.stateChanged(1)
  events.message(1, userMessage('Hi', 1), 1)
  events.announce(announced('decision.dropped'))
  events.stateChanged(2)
  events.message(2, userMessage('Hi', 1), 2)
  expect(told(events, false)).toEqual([
    'turn.started',
    'message 1',
    'decision.dropped',
    'state 2',
    'message 2',
  ])
})

test('EVT-01 tells results at the next checkpoint, in the order of their calls, before the end of their turn', () => {
  const events = new PendingEvents()
  events.announce(turn(1))
  expect(told(events, false)).toEqual(['turn.started'])
  events.message(5, result('b'), 5)
  events.message(4, result('a'), 4)
  events.callChanged('a')
  expect(told(events, false)).toEqual(['call.settled a'])
  events.announce(announced('decision.dropped'))
  events.announce(announced('turn.ended'))
  events.message(6, result('d'), 6)
  expect(whole(events)).toEqual(['decision.dropped', 'message 4', 'message 5', 'message 6', 'turn.ended'])
  expect(told(events, true)).toEqual([])
})

test('EVT-01 tells results though nothing else is to be told', () => {
  const events = new PendingEvents()
  events.message(4, result('a'), 4)
  expect(told(events, true)).toEqual(['message 4'])
})

test('EVT-01 tells results first where no turn ends with their checkpoint', () => {
  const events = new PendingEvents()
  events.announce(announced('run.waiting'))
  events.message(4, result('a'), 4)
  expect(whole(events)).toEqual(['message 4', 'run.waiting'])
})

test('EVT-01 tells what is said between turns inside the next one, however many commits later', () => {
  const events = new PendingEvents()
  events.announce(announced('run.started'))
  events.message(1, userMessage('Hi', 1), 1)
  expect(told(events, true)).toEqual(['run.started'])
  events.message(2, userMessage('Be brief.', 1), 2)
  events.message(3, extension, 3)
  expect(told(events, false)).toEqual([])
  events.announce(turn(1))
  expect(told(events, false)).toEqual([
    'turn.started',
    'message 1',
    'message 2',
    'message 3',
  ])
  events.message(4, answer, 4)
  events.announce(announced('turn.ended'))
  events.message(5, userMessage('And Bergen?', 1), 5)
  events.announce(turn(2))
  expect(whole(events)).toEqual(['message 4', 'turn.ended', 'turn.started', 'message 5'])
})

test.each(['run.waiting', 'run.ended'])('EVT-01 tells what was said before %s where no turn comes', (type) => {
  const events = new PendingEvents()
  events.announce(announced('run.started'))
  events.message(1, userMessage('Hi', 1), 1)
  events.message(2, answer, 2)
  events.announce(announced(type))
  expect(told(events, true)).toEqual([
    'run.started',
    'message 1',
    'message 2',
    type,
  ])
})

test('EVT-01 tells the note behind a late result with it, and what is said then inside the next turn', () => {
  const events = new PendingEvents()
  events.announce(announced('run.resumed'))
  events.message(8, result('a'), 4)
  events.message(9, userMessage('[Tool finished]', 1), 9)
  events.message(10, userMessage('Hurry.', 1), 10)
  expect(whole(events)).toEqual(['run.resumed', 'message 4', 'message 9'])
  events.announce(turn(2))
  expect(whole(events)).toEqual(['turn.started', 'message 10'])
})

test('EVT-01 tells what was said behind a result after it, where the run waits again', () => {
  const events = new PendingEvents()
  events.announce(announced('run.resumed'))
  events.message(4, result('a'), 4)
  events.message(9, userMessage('A hint.', 1), 9)
  events.announce(announced('run.waiting'))
  expect(whole(events)).toEqual(['run.resumed', 'message 4', 'message 9', 'run.waiting'])
})

test('EVT-01 goes on in a turn that another drive has started, or before the next one', () => {
  const open = new PendingEvents()
  open.goOn({ turn: 3, isOpen: true, answerSeq: undefined }, [])
  open.message(7, userMessage('A hint.', 1), 7)
  open.message(8, answer, 8)
  expect(told(open, true)).toEqual(['message 7', 'message 8'])
  const between = new PendingEvents()
  between.goOn({ turn: 3, isOpen: false, answerSeq: undefined }, [{ seq: 7, message: userMessage('Hurry.', 1) }])
  between.announce(turn(4))
  expect(told(between, true)).toEqual(['turn.started', 'message 7'])
})

test('EVT-01 names the answer of the turn that ends, and none where it ends without', () => {
  const answers: (number | undefined)[] = []
  const noting = {
    ...context,
    toEvent: ({ type }: Announcement, seq: number | undefined) => {
      if (type === 'turn.ended') answers.push(seq)
      return { type, runId: 'r', at: 7 } as never
    },
  }
  const events = new PendingEvents()
  events.announce(turn(1))
  events.message(2, answer, 2)
  events.announce(announced('turn.ended'))
  events.announce(turn(2))
  events.announce(announced('turn.ended'))
  events.flush(true, noting)
  expect(answers).toEqual([2, undefined])
})
