import { type CallRecord, isCallResult, toldCall, withArguments } from '../domain/call.ts'
import type { AgentEventBody } from '../domain/event.ts'
import type { Json } from '../domain/text/json.ts'
import type { Message } from '../domain/message.ts'
import type { Announcement } from '../step/effect-logic.ts'
import type { Change, Happened, ToldMessage, TurnStanding, Untold } from './change.ts'

/** What a commit tells, in order, and what it leaves to the next ones. */
export interface Pending {
  readonly told: readonly Told[]
  readonly untold: Untold
}

/** One thing that is told, with its turn and place; calls that changed are told together. */
export type Told =
  | ToldHere
  | { readonly kind: 'announcement'; readonly announcement: Announcement; readonly answerSeq: number | undefined }
  | { readonly kind: 'state'; readonly state: Json }
  | { readonly kind: 'compaction'; readonly value: Json; readonly turn: number }
  | { readonly kind: 'calls'; readonly callIds: ReadonlySet<string> }

interface ToldHere extends ToldMessage {
  /** True where it waited for the next turn, and none came. */
  readonly isLate?: boolean
}

/**
 * Folds what has happened, in its order, into what the commit tells. A user's message that enters between turns is told
 * inside the next one, or before the wait or the end where there is none. What became of calls is told before the end of
 * the turn or the wait it led to; results of a round are told together, in the order of its calls, when the round is
 * committed.
 */
export function pendingOf({ untold, happened, isCheckpoint }: Change): Pending {
  const fold = new PendingFold(untold)
  for (const one of happened) fold.take(one)
  return fold.end(isCheckpoint)
}

class PendingFold {
  readonly #told: Told[] = []
  readonly #callIds = new Set<string>()
  readonly #results: ToldMessage[]
  #between: readonly ToldMessage[]
  #behind: Untold['behind']
  #at: TurnStanding

  constructor({ at, between, results, behind }: Untold) {
    this.#at = at
    this.#between = between
    this.#results = [...results]
    this.#behind = behind
  }

  take(one: Happened): void {
    switch (one.kind) {
      case 'announcement':
        return this.#announce(one.announcement)
      case 'message':
        return this.#message({ ...one, turn: this.#at.turn })
      case 'call':
        return void this.#callIds.add(one.callId)
      case 'state':
        return void this.#told.push(one)
      case 'compaction':
        return void this.#told.push({ ...one, turn: this.#at.turn })
    }
  }

  #announce(announcement: Announcement): void {
    this.#behind = 'other'
    const { turn, answerSeq } = this.#at
    const { type, turn: started = turn } = announcement
    const waits = type === 'run.waiting' || type === 'run.ended'
    if (waits) for (const message of this.#takeBetween()) this.#told.push({ ...message, isLate: true })
    this.#told.push({ kind: 'announcement', announcement, answerSeq })
    if (endsTurn.has(type)) this.#at = { turn, isOpen: false, answerSeq: undefined }
    if (type !== 'turn.started') return
    this.#at = { turn: started, isOpen: true, answerSeq: undefined }
    for (const message of this.#takeBetween()) this.#told.push({ ...message, turn: started })
  }

  #takeBetween(): readonly ToldMessage[] {
    const taken = this.#between
    this.#between = []
    return taken
  }

  #message(told: ToldMessage): void {
    const { seq, message, place } = told
    if (isCallResult(message)) {
      this.#behind = place === seq ? 'result' : 'late result'
      this.#results.push(told)
    } else if (message.role === 'user' && this.#isToldWithResult()) this.#results.push(told)
    else if (this.#isForNextTurn(message)) this.#between = [...this.#between, told]
    else this.#tellInPlace(told)
  }

  /** Inside a turn every note behind a result; between turns the one that points at a late result. */
  #isToldWithResult(): boolean {
    const { isOpen } = this.#at
    const isTold = this.#behind === 'late result' || (this.#behind === 'result' && isOpen)
    if (!isOpen) this.#behind = 'other'
    return isTold
  }

  /** What follows a message that waits waits with it, so that their order stays. */
  #isForNextTurn({ role }: Message): boolean {
    return !this.#at.isOpen && (role === 'user' || this.#between.length > 0)
  }

  #tellInPlace(told: ToldMessage): void {
    this.#behind = 'other'
    const { isOpen, answerSeq } = this.#at
    const isAnswer = told.message.role === 'assistant' && isOpen && answerSeq === undefined
    this.#told.push(told)
    if (isAnswer) this.#at = { ...this.#at, answerSeq: told.seq }
  }

  /** Results wait for a checkpoint; what was said behind the first of them follows them. */
  end(isCheckpoint: boolean): Pending {
    const told = withLastState(this.#told)
    const results = isCheckpoint ? this.#results.toSorted((left, right) => left.seq - right.seq) : []
    const calls: readonly Told[] = this.#callIds.size === 0 ? [] : [{ kind: 'calls', callIds: this.#callIds }]
    const untold = {
      at: this.#at,
      between: this.#between,
      results: isCheckpoint ? [] : this.#results,
      behind: this.#behind,
    }
    const [first] = results
    if (first === undefined && calls.length === 0) return { told, untold }
    const closingAt = firstClosing(told)
    const before = told.slice(0, closingAt)
    const isBehind = (one: Told) => first !== undefined && isLateBehind(one, first.seq)
    const inOrder = [
      before.filter((one) => !isBehind(one)),
      calls,
      results,
      before.filter(isBehind),
      told.slice(closingAt),
    ]
    return { told: inOrder.flat(), untold }
  }
}

function isLateBehind(one: Told, seq: number): boolean {
  return one.kind === 'message' && one.isLate === true && one.seq > seq
}

const endsTurn: ReadonlySet<string> = new Set(['turn.ended', 'run.waiting', 'run.resumed', 'run.ended'])

/** The state is told as the commit leaves it. */
function withLastState(told: readonly Told[]): readonly Told[] {
  const last = told.findLastIndex(({ kind }) => kind === 'state')
  return last < 0 ? told : told.filter(({ kind }, index) => kind !== 'state' || index === last)
}

/** The chart announces what calls have led to in the step in which they move; a wait that is over is no such thing. */
function firstClosing(told: readonly Told[]): number {
  const resumed = told.findLastIndex((one) => announcedBy(one) === 'run.resumed')
  const closing = told.findIndex((one, index) => index > resumed && closings.has(announcedBy(one)))
  return closing < 0 ? told.length : closing
}

const closings: ReadonlySet<string | undefined> = new Set(['turn.started', 'turn.ended', 'run.waiting', 'run.ended'])

function announcedBy(one: Told): string | undefined {
  return one.kind === 'announcement' ? one.announcement.type : undefined
}

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

/** The events of what a commit tells. */
export function eventsOf(told: readonly Told[], context: TellContext): readonly AgentEventBody[] {
  const { runId, at } = context
  const events: AgentEventBody[] = []
  for (const one of told) {
    switch (one.kind) {
      case 'announcement':
        events.push(context.toEvent(one.announcement, one.answerSeq))
        break
      case 'message': {
        const { turn, place } = one
        events.push({ type: 'message.ended', runId, at, turn, place, message: asStored(one, context) })
        break
      }
      case 'state':
        events.push({ type: 'state.changed', runId, at, state: one.state })
        break
      case 'compaction':
        events.push(compactionEvent(one.value, { runId, at, turn: one.turn }))
        break
      case 'calls':
        for (const call of callsOf(one.callIds, context)) tellCall(call, context, events)
    }
  }
  return events
}

/** What the log has of a move is what is told of it. */
function compactionEvent(value: Json, head: { runId: string; at: number; turn: number }): AgentEventBody {
  const { tokensBefore, tokensAfter, tier, problem, summary } = value as unknown as CompactionTold
  return {
    type: 'context.compacted',
    ...head,
    tokensBefore,
    tokensAfter,
    tier,
    ...(problem === undefined ? {} : { problem }),
    ...(summary === undefined ? {} : { summary }),
  }
}

type CompactionTold = Extract<AgentEventBody, { readonly type: 'context.compacted' }>

/** A result may have been reviewed, or noted as a repeat, since it came: the event tells what the log has of it. */
function asStored({ seq, place, message }: ToldMessage, { call }: TellContext): Message {
  return isCallResult(message) && place === seq ? (call(message.callId)?.result ?? message) : message
}

/** These calls as the commit leaves them, in the order they were made. */
function callsOf(callIds: ReadonlySet<string>, context: TellContext): readonly CallRecord[] {
  const calls = [...callIds].flatMap((callId) => context.call(callId) ?? [])
  return calls.sort((left, right) => left.seq - right.seq)
}

function tellCall(call: CallRecord, context: TellContext, events: AgentEventBody[]): void {
  const { runId, at } = context
  const { callId, toolName, seq: place, status, result, editedArguments, isHold } = call
  if (status === 'succeeded' || status === 'failed' || status === 'cancelled') {
    events.push({
      type: 'call.settled',
      runId,
      at,
      callId,
      toolName,
      place,
      status,
      ...(editedArguments === undefined ? {} : { editedArguments }),
      ...(result?.childRunId === undefined ? {} : { childRunId: result.childRunId }),
      ...(isHold === true && result !== undefined ? { result } : {}),
    })
  } else if (status === 'suspended') {
    events.push({ type: 'call.suspended', runId, at, call: withArguments(toldCall(call), context) })
  }
}
