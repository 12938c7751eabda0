import { type CallRecord, isCallResult, isTerminal, withArguments } from '../domain/call.ts'
import type { AgentEvent } from '../domain/event.ts'
import type { Json } from '../domain/json.ts'
import type { Message } from '../domain/message.ts'
import type { Announcement } from './effect-logic.ts'

interface PendingMessage {
  readonly kind: 'message'
  readonly seq: number
  readonly place: number
  readonly message: Message
}

type PendingEvent =
  | PendingMessage
  | { readonly kind: 'announcement'; readonly announcement: Announcement }
  | { readonly kind: 'state'; readonly state: Json }

/**
 * Collects what there is to tell until the commit that holds it. What became of calls is told before the end of the turn
 * or the wait it led to; results of a round are told together, in the order of its calls, when the round is committed.
 */
export class PendingEvents {
  #pending: PendingEvent[] = []
  #results: PendingMessage[] = []
  /** A note that follows a result at once is told with it. */
  #isBehindResult = false
  readonly #changedCalls = new Set<string>()

  announce(announcement: Announcement): void {
    this.#isBehindResult = false
    this.#pending.push({ kind: 'announcement', announcement })
  }

  message(seq: number, message: Message, place: number): void {
    this.#isBehindResult = isCallResult(message) || (message.role === 'user' && this.#isBehindResult)
    if (this.#isBehindResult) this.#results.push({ kind: 'message', seq, place, message })
    else this.#pending.push({ kind: 'message', seq, place, message })
  }

  callChanged(callId: string): void {
    this.#changedCalls.add(callId)
  }

  stateChanged(state: Json): void {
    this.#pending.push({ kind: 'state', state })
  }

  /** The events of a commit; results wait for a checkpoint. */
  flush(isCheckpoint: boolean, context: TellContext): readonly AgentEvent[] {
    const pending = withLastState(this.#pending)
    const calls = callsOf(this.#changedCalls, context)
    const results = isCheckpoint ? this.#results.sort(bySeq) : []
    this.#pending = []
    this.#changedCalls.clear()
    if (isCheckpoint) this.#results = []
    const callsAt = firstClosing(pending)
    const events: AgentEvent[] = []
    for (const item of pending.slice(0, callsAt)) events.push(eventOf(item, context))
    for (const call of calls) tellCall(call, context, events)
    for (const item of results) events.push(eventOf(item, context))
    for (const item of pending.slice(callsAt)) events.push(eventOf(item, context))
    return events
  }
}

/** What the events of a commit are made with. */
export interface TellContext {
  readonly runId: string
  /** Unix milliseconds of the commit. */
  readonly at: number
  /** Makes the event of an announcement. */
  toEvent(announcement: Announcement): AgentEvent
  call(callId: string): CallRecord | undefined
  message(seq: number): Message | undefined
}

/** The state is told as the commit leaves it. */
function withLastState(pending: readonly PendingEvent[]): readonly PendingEvent[] {
  const last = pending.findLastIndex(({ kind }) => kind === 'state')
  return pending.filter(({ kind }, index) => kind !== 'state' || index === last)
}

/** These calls as the commit leaves them, in the order they were made. */
function callsOf(callIds: ReadonlySet<string>, context: TellContext): readonly CallRecord[] {
  const calls = [...callIds].flatMap((callId) => context.call(callId) ?? [])
  return calls.sort((left, right) => left.seq - right.seq)
}

function bySeq(left: PendingMessage, right: PendingMessage): number {
  return left.seq - right.seq
}

/** The chart announces what calls have led to in the step in which they move; a wait that is over is no such thing. */
function firstClosing(items: readonly PendingEvent[]): number {
  const resumed = items.findLastIndex((item) => announcedBy(item) === 'run.resumed')
  const closing = items.findIndex((item, index) => index > resumed && closings.has(announcedBy(item)))
  return closing < 0 ? items.length : closing
}

const closings: ReadonlySet<string | undefined> = new Set(['turn.started', 'turn.ended', 'run.waiting', 'run.ended'])

function announcedBy(item: PendingEvent): string | undefined {
  return item.kind === 'announcement' ? item.announcement.type : undefined
}

function eventOf(item: PendingEvent, context: TellContext): AgentEvent {
  const { runId, at } = context
  switch (item.kind) {
    case 'announcement':
      return context.toEvent(item.announcement)
    case 'message':
      return { type: 'message.ended', runId, at, place: item.place, message: item.message }
    case 'state':
      return { type: 'state.changed', runId, at, state: item.state }
  }
}

function tellCall(call: CallRecord, context: TellContext, events: AgentEvent[]): void {
  const { runId, at } = context
  if (isTerminal(call.status)) events.push({ type: 'call.settled', runId, at, call })
  else if (call.status === 'suspended') {
    events.push({ type: 'call.suspended', runId, at, call: withArguments(call, context) })
  }
}
