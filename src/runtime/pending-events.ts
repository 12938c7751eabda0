import { type CallRecord, isCallResult, isTerminal, toldCall, withArguments } from '../domain/call.ts'
import type { AgentEventBody } from '../domain/event.ts'
import type { Json } from '../domain/json.ts'
import type { Message } from '../domain/message.ts'
import type { Announcement } from '../step/effect-logic.ts'
import { noTurn, type TurnStanding } from './turn-standing.ts'

interface PendingMessage {
  readonly kind: 'message'
  readonly seq: number
  readonly place: number
  readonly message: Message
  readonly turn: number
  /** True for an answer, whose attempts have told that it began. */
  readonly isBegun?: boolean
  /** True where it waited for the next turn, and none came. */
  readonly isLate?: boolean
}

type PendingEvent =
  | PendingMessage
  | { readonly kind: 'announcement'; readonly announcement: Announcement; readonly answerSeq: number | undefined }
  | { readonly kind: 'state'; readonly state: Json }

/**
 * Collects what there is to tell until the commit that holds it. A user's message that enters between turns is told
 * inside the next one, or before the wait or the end where there is none. What became of calls is told before the end of
 * the turn or the wait it led to; results of a round are told together, in the order of its calls, when the round is
 * committed.
 */
export class PendingEvents {
  #pending: PendingEvent[] = []
  #results: PendingMessage[] = []
  /** What entered between turns and nobody has been told of; a commit keeps its numbers, as the process may end before the next turn. */
  readonly between: PendingMessage[] = []
  /** What the message before was: a note that follows a result at once is told with it. */
  #behind: 'result' | 'late result' | 'other' = 'other'
  readonly #changedCalls = new Set<string>()
  #turn: TurnStanding = noTurn

  /** Goes on where another drive has left a run: at a turn, and with messages that it has told nobody of. */
  goOn(turn: TurnStanding, untold: readonly { readonly seq: number; readonly message: Message }[]): void {
    this.#turn = turn
    for (const { seq, message } of untold) {
      this.between.push({ kind: 'message', seq, place: seq, message, turn: turn.turn })
    }
  }

  announce(announcement: Announcement): void {
    this.#behind = 'other'
    const { answerSeq } = this.#turn
    const item: PendingEvent = { kind: 'announcement', announcement, answerSeq }
    switch (announcement.type) {
      case 'turn.started': {
        const { turn = this.#turn.turn } = announcement
        this.#turn = { turn, isOpen: true, answerSeq: undefined }
        this.#pending.push(item)
        for (const message of this.between.splice(0)) this.#pending.push({ ...message, turn })
        return
      }
      case 'run.waiting':
      case 'run.ended':
        for (const message of this.between.splice(0)) this.#pending.push({ ...message, isLate: true })
        break
    }
    if (endsTurn.has(announcement.type)) this.#turn = { ...this.#turn, isOpen: false, answerSeq: undefined }
    this.#pending.push(item)
  }

  message(seq: number, message: Message, place: number): void {
    const { turn } = this.#turn
    const item: PendingMessage = { kind: 'message', seq, place, message, turn }
    if (isCallResult(message)) {
      this.#behind = place === seq ? 'result' : 'late result'
      this.#results.push(item)
    } else if (message.role === 'user' && this.#isToldWithResult()) this.#results.push(item)
    else if (this.#isForNextTurn(message)) this.between.push(item)
    else this.#tellInPlace(item)
  }

  /** Inside a turn every note behind a result; between turns the one that points at a late result. */
  #isToldWithResult(): boolean {
    const { isOpen } = this.#turn
    const isTold = this.#behind === 'late result' || (this.#behind === 'result' && isOpen)
    if (!isOpen) this.#behind = 'other'
    return isTold
  }

  /** What follows a message that waits waits with it, so that their order stays. */
  #isForNextTurn({ role }: Message): boolean {
    return !this.#turn.isOpen && (role === 'user' || this.between.length > 0)
  }

  #tellInPlace(item: PendingMessage): void {
    this.#behind = 'other'
    const { isOpen, answerSeq } = this.#turn
    const isAnswer = item.message.role === 'assistant' && isOpen && answerSeq === undefined
    this.#pending.push(isAnswer ? { ...item, isBegun: true } : item)
    if (isAnswer) this.#turn = { ...this.#turn, answerSeq: item.seq }
  }

  callChanged(callId: string): void {
    this.#changedCalls.add(callId)
  }

  stateChanged(state: Json): void {
    this.#pending.push({ kind: 'state', state })
  }

  /** The events of a commit, which stay here until it is accepted; results wait for a checkpoint. */
  read(isCheckpoint: boolean, context: TellContext): readonly AgentEventBody[] {
    const pending = withLastState(this.#pending)
    const calls = callsOf(this.#changedCalls, context)
    const results = isCheckpoint ? this.#results.sort(bySeq) : []
    const callsAt = firstClosing(pending)
    const firstSeq = results[0]?.seq ?? Infinity
    const isBehindResults = (item: PendingEvent) =>
      item.kind === 'message' && item.isLate === true && item.seq > firstSeq
    const before = pending.slice(0, callsAt)
    const events: AgentEventBody[] = []
    for (const item of before) if (!isBehindResults(item)) tellItem(item, context, events)
    for (const call of calls) tellCall(call, context, events)
    for (const item of results) tellItem(item, context, events)
    for (const item of before) if (isBehindResults(item)) tellItem(item, context, events)
    for (const item of pending.slice(callsAt)) tellItem(item, context, events)
    return events
  }

  /** The commit that holds what was read is accepted. */
  clear(isCheckpoint: boolean): void {
    this.#pending = []
    this.#changedCalls.clear()
    if (isCheckpoint) this.#results = []
  }

  /** The events of a commit that is accepted already. */
  flush(isCheckpoint: boolean, context: TellContext): readonly AgentEventBody[] {
    const events = this.read(isCheckpoint, context)
    this.clear(isCheckpoint)
    return events
  }
}

const endsTurn: ReadonlySet<string> = new Set(['turn.ended', 'run.waiting', 'run.resumed', 'run.ended'])

/** What the events of a commit are made with. */
export interface TellContext {
  readonly runId: string
  /** Unix milliseconds of the commit. */
  readonly at: number
  /** Makes the event of an announcement; `answerSeq` is that of the answer of the turn it was made in. */
  toEvent(announcement: Announcement, answerSeq: number | undefined): AgentEventBody
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

function tellItem(item: PendingEvent, context: TellContext, events: AgentEventBody[]): void {
  const { runId, at } = context
  switch (item.kind) {
    case 'announcement':
      events.push(context.toEvent(item.announcement, item.answerSeq))
      return
    case 'message': {
      const { turn, place, message } = item
      if (item.isBegun !== true) {
        events.push({ type: 'message.started', runId, at, turn, role: message.role, message })
      }
      events.push({ type: 'message.ended', runId, at, turn, place, message })
      return
    }
    case 'state':
      events.push({ type: 'state.changed', runId, at, state: item.state })
  }
}

function tellCall(call: CallRecord, context: TellContext, events: AgentEventBody[]): void {
  const { runId, at } = context
  if (isTerminal(call.status)) events.push({ type: 'call.settled', runId, at, call: toldCall(call) })
  else if (call.status === 'suspended') {
    events.push({ type: 'call.suspended', runId, at, call: withArguments(toldCall(call), context) })
  }
}
