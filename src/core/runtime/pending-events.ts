import { type CallRecord, isCallResult, settledCall, toldCall, withArguments } from '../domain/call.ts'
import type { AgentEventBody } from '../domain/event.ts'
import type { Json } from '../domain/text/json.ts'
import type { Notice } from '../domain/passing-event.ts'
import type { Message } from '../domain/message.ts'
import type { Announcement } from '../step/effect-logic.ts'
import type { Change, Happened, ToldMessage, TurnStanding, Untold } from './change.ts'

/** What a commit tells, in order, and what it leaves to the next ones. */
export interface Pending {
  readonly told: readonly Told[]
  readonly untold: Untold
}

/** One thing that is told, with its turn and place; calls that changed in a row are told together. */
export type Told =
  | ToldMessage
  | ToldAnnouncement
  | { readonly kind: 'state'; readonly state: Json }
  | { readonly kind: 'compaction'; readonly value: Json; readonly turn: number }
  | { readonly kind: 'notice'; readonly event: Notice }
  | { readonly kind: 'calls'; readonly callIds: readonly string[] }

/** What an announcement is spelled out with. */
export interface ToldAnnouncement {
  readonly kind: 'announcement'
  readonly announcement: Announcement
  /** Sequence number of the answer of the turn it was made in. */
  readonly answerSeq: number | undefined
  /** The log entries before this one came before the announcement. */
  readonly nextSeq: number
}

/**
 * Folds what has happened into what the commit tells, in the same order. Results wait for the checkpoint that publishes
 * them, and then come in the order of their calls. Calls that move in a row come in the order of their slots, each once a
 * commit.
 */
export function pendingOf({ untold, happened, isCheckpoint }: Change): Pending {
  const fold = new PendingFold(untold)
  for (const one of happened) fold.take(one)
  return fold.end(isCheckpoint)
}

class PendingFold {
  readonly #told: Told[] = []
  readonly #moved: string[] = []
  readonly #marked = new Set<string>()
  #results: readonly ToldMessage[]
  #at: TurnStanding

  constructor({ at, results }: Untold) {
    this.#at = at
    this.#results = results
  }

  take(one: Happened): void {
    if (one.kind === 'call') return this.#call(one.callId)
    this.#tellCalls()
    switch (one.kind) {
      case 'announcement':
        return this.#announce(one)
      case 'message':
        return this.#message({ ...one, turn: this.#turnOf(one.message) })
      case 'state':
        return this.#state(one)
      case 'notice':
        return void this.#told.push(one)
      case 'compaction':
        return void this.#told.push({ ...one, turn: this.#at.turn })
      case 'checkpoint':
        return this.#publish()
    }
  }

  #call(callId: string): void {
    if (this.#marked.has(callId)) return
    this.#marked.add(callId)
    this.#moved.push(callId)
  }

  #tellCalls(): void {
    const callIds = this.#moved.splice(0)
    if (callIds.length > 0) this.#told.push({ kind: 'calls', callIds })
  }

  #announce({ announcement, nextSeq }: Extract<Happened, { readonly kind: 'announcement' }>): void {
    const { turn, answerSeq } = this.#at
    const { type, turn: started = turn } = announcement
    this.#told.push({ kind: 'announcement', announcement, answerSeq, nextSeq })
    if (endsTurn.has(type)) this.#at = { turn, isOpen: false, answerSeq: undefined }
    if (type === 'turn.started') this.#at = { turn: started, isOpen: true, answerSeq: undefined }
  }

  /** What enters between turns is for the next one. */
  #turnOf({ role }: Message): number {
    const { turn, isOpen } = this.#at
    return !isOpen && (role === 'user' || role === 'extension') ? turn + 1 : turn
  }

  #message(told: ToldMessage): void {
    const { seq, message, place } = told
    if (isCallResult(message) && place === seq) {
      this.#results = [...this.#results, told]
      return
    }
    if (isCallResult(message)) this.#publish()
    this.#told.push(told)
    const { isOpen, answerSeq } = this.#at
    if (message.role === 'assistant' && isOpen && answerSeq === undefined) this.#at = { ...this.#at, answerSeq: seq }
  }

  /** A later change replaces the one that is told, in its place. */
  #state(one: Extract<Happened, { readonly kind: 'state' }>): void {
    const at = this.#told.findIndex(({ kind }) => kind === 'state')
    if (at < 0) this.#told.push(one)
    else this.#told[at] = one
  }

  #publish(): void {
    this.#told.push(...this.#results.toSorted((left, right) => left.seq - right.seq))
    this.#results = []
  }

  /** A commit that is a checkpoint leaves no result to the next one, whose process would not know it. */
  end(isCheckpoint: boolean): Pending {
    this.#tellCalls()
    if (isCheckpoint) this.#publish()
    return { told: this.#told, untold: { at: this.#at, results: this.#results } }
  }
}

const endsTurn: ReadonlySet<string> = new Set(['turn.ended', 'run.waiting', 'run.resumed', 'run.ended'])

/** What the events of a commit are made with. */
export interface TellContext {
  readonly runId: string
  /** Unix milliseconds of the commit. */
  readonly at: number
  /** Makes the event of an announcement. */
  toEvent(announced: ToldAnnouncement): AgentEventBody
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
        events.push(context.toEvent(one))
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
      case 'notice':
        events.push({ ...one.event, at })
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
function callsOf(callIds: readonly string[], context: TellContext): readonly CallRecord[] {
  const calls = callIds.flatMap((callId) => context.call(callId) ?? [])
  return calls.sort((left, right) => left.seq - right.seq)
}

function tellCall(call: CallRecord, context: TellContext, events: AgentEventBody[]): void {
  const { runId, at } = context
  const settled = settledCall(call)
  if (settled !== undefined) events.push({ type: 'call.settled', runId, at, ...settled })
  else if (call.status === 'suspended') {
    events.push({ type: 'call.suspended', runId, at, call: withArguments(toldCall(call), context) })
  }
}
