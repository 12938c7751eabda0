import { expect, test } from 'vitest'
import type { CallRecord, CallStatus } from '../../src/domain/call.ts'
import type { Message } from '../../src/domain/message.ts'
import { userMessage } from '../../src/domain/message.ts'
import type { Announcement } from '../../src/runtime/effect-logic.ts'
import { PendingEvents } from '../../src/runtime/pending-events.ts'

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

/** What is told, in short. */
function told(events: PendingEvents, isCheckpoint: boolean): readonly string[] {
  return events.flush(isCheckpoint, context).map((event) => {
    expect(event).toMatchObject({ runId: 'r', at: 7 })
    if (event.type === 'message.ended') return `message ${event.place}`
    if (event.type === 'call.settled' || event.type === 'call.suspended') return `${event.type} ${event.call.callId}`
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
  events.stateChanged(1)
  events.message(1, userMessage('Hi', 1), 1)
  events.announce(announced('turn.started'))
  events.stateChanged(2)
  events.message(2, userMessage('Hi', 1), 2)
  events.announce(announced('turn.started'))
  expect(told(events, false)).toEqual(['message 1', 'turn.started', 'state 2', 'message 2', 'turn.started'])
})

test('EVT-01 tells results at the next checkpoint, in the order of their calls, before the end of their turn', () => {
  const events = new PendingEvents()
  events.message(5, result('b'), 5)
  events.message(4, result('a'), 4)
  events.callChanged('a')
  expect(told(events, false)).toEqual(['call.settled a'])
  events.announce(announced('decision.dropped'))
  events.announce(announced('turn.ended'))
  events.message(6, result('d'), 6)
  expect(told(events, true)).toEqual(['decision.dropped', 'message 4', 'message 5', 'message 6', 'turn.ended'])
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
  expect(told(events, true)).toEqual(['message 4', 'run.waiting'])
})
