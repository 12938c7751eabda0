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
const context: TellContext = {
  runId: 'r',
  at: 7,
  message: () => undefined,
  toEvent: ({ announcement: { type } }) => ({ type, runId: 'r', at: 7 }) as never,
  call: (callId) => {
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

  goOn(at: TurnStanding): void {
    this.#change.untold = untoldAt(at)
  }

  announce(announcement: Announcement): void {
    this.#change.happened.push({ kind: 'announcement', announcement, nextSeq: 0 })
  }

  message(seq: number, message: Message, place = seq): void {
    this.#change.happened.push({ kind: 'message', seq, message, place })
  }

  callChanged(...callIds: readonly string[]): void {
    for (const callId of callIds) this.#change.happened.push({ kind: 'call', callId })
  }

  stateChanged(state: Json): void {
    this.#change.happened.push({ kind: 'state', state })
  }

  checkpoint(): void {
    this.#change.checkpoint('ToolResultsCommitted')
  }

  /** The events of a commit, which is accepted. */
  flush(telling: TellContext = context) {
    const pending = pendingOf(this.#change)
    this.#change.committed(pending.untold, true)
    return eventsOf(pending.told, telling)
  }

  /** The same, in short. */
  told(): readonly string[] {
    return this.flush().map((event) => {
      if (event.type === 'message.ended') return `message ${event.place} of ${event.turn}`
      if (event.type === 'call.settled') return `${event.type} ${event.callId}`
      if (event.type === 'call.suspended') return `${event.type} ${event.call.callId}`
      return event.type === 'state.changed' ? `state ${JSON.stringify(event.state)}` : event.type
    })
  }
}

test('EVT-01 tells calls that move in a row once, in the order of their slots and as the commit leaves them', () => {
  const events = new PendingEvents()
  events.callChanged('b', 'a', 'c', 'gone', 'a')
  events.announce(announced('turn.ended'))
  events.callChanged('d', 'a')
  expect(events.told()).toEqual(['call.settled a', 'call.suspended b', 'turn.ended', 'call.settled d'])
  expect(events.told()).toEqual([])
})

test('EVT-01 tells the last of several changes of the state in the place of the first', () => {
  const events = new PendingEvents()
  events.stateChanged(1)
  events.announce(announced('calls.dropped'))
  events.stateChanged(2)
  expect(events.told()).toEqual(['state 2', 'calls.dropped'])
})

test('EVT-01 tells results at the checkpoint that publishes them, in the order of their calls', () => {
  const events = new PendingEvents()
  events.announce(turn(1))
  events.message(5, result('b'))
  expect(events.told()).toEqual(['turn.started'])
  events.message(4, result('a'))
  events.callChanged('a')
  events.checkpoint()
  events.announce(announced('turn.ended'))
  events.message(6, result('d'))
  const first = ['call.settled a', 'message 4 of 1', 'message 5 of 1', 'turn.ended']
  expect(events.told()).toEqual([...first, 'message 6 of 1'])
})

test('EVT-01 tells a late result behind the results that wait, and its note behind it', () => {
  const events = new PendingEvents()
  events.announce(turn(1))
  events.announce(announced('turn.ended'))
  events.message(6, result('d'))
  events.message(8, result('a'), 4)
  events.message(9, userMessage('[Tool finished]', 1))
  expect(events.told()).toEqual(['turn.started', 'turn.ended', 'message 6 of 1', 'message 4 of 1', 'message 9 of 2'])
})

test('EVT-01 tells what is said as it enters: between turns for the next one', () => {
  const events = new PendingEvents()
  events.announce(announced('run.started'))
  events.message(1, userMessage('Hi', 1))
  expect(events.told()).toEqual(['run.started', 'message 1 of 1'])
  events.message(2, extension)
  events.announce(turn(1))
  events.message(3, userMessage('Be brief.', 1))
  events.message(4, answer)
  events.announce(announced('turn.ended'))
  events.message(5, userMessage('And Bergen?', 1))
  const first = ['message 2 of 1', 'turn.started', 'message 3 of 1', 'message 4 of 1', 'turn.ended']
  expect(events.told()).toEqual([...first, 'message 5 of 2'])
  const open = new PendingEvents()
  open.goOn({ turn: 3, isOpen: true, answerSeq: undefined })
  open.message(7, userMessage('A hint.', 1))
  expect(open.told()).toEqual(['message 7 of 3'])
})

test('EVT-01 names the answer of the turn that ends, and none where it ends without', () => {
  const answers: (number | undefined)[] = []
  const noting: TellContext = {
    ...context,
    toEvent: ({ announcement: { type }, answerSeq }) => {
      if (type === 'turn.ended') answers.push(answerSeq)
      return { type, runId: 'r', at: 7 } as never
    },
  }
  const events = new PendingEvents()
  events.announce(turn(1))
  events.message(2, answer)
  events.announce(announced('turn.ended'))
  events.announce(turn(2))
  events.announce(announced('turn.ended'))
  events.flush(noting)
  expect(answers).toEqual([2, undefined])
})
