import { type CallRecord, isCallResult, isTerminal } from '../domain/call.ts'
import type { AgentEvent } from '../domain/event.ts'
import type { Json } from '../domain/json.ts'
import type { Message } from '../domain/message.ts'
import type { Announcement } from './effect-logic.ts'

type PendingMessage = { readonly kind: 'message'; readonly seq: number; readonly message: Message }

type PendingEvent =
  | PendingMessage
  | { readonly kind: 'announcement'; readonly announcement: Announcement }
  | { readonly kind: 'call'; readonly callId: string }
  | { readonly kind: 'state'; readonly state: Json }

/**
 * Collects what there is to tell until the commit that holds it. Results of a round are told together,
 * in the order of its calls, when the round is committed.
 */
export class PendingEvents {
  #pending: PendingEvent[] = []
  #results: PendingMessage[] = []

  announce(announcement: Announcement): void {
    this.#pending.push({ kind: 'announcement', announcement })
  }

  message(seq: number, message: Message): void {
    if (isCallResult(message)) this.#results.push({ kind: 'message', seq, message })
    else this.#pending.push({ kind: 'message', seq, message })
  }

  callChanged(callId: string): void {
    this.#pending.push({ kind: 'call', callId })
  }

  stateChanged(state: Json): void {
    this.#pending.push({ kind: 'state', state })
  }

  /** The events of a commit; results wait for a checkpoint and come before what the charts say of its turn. */
  flush(isCheckpoint: boolean, context: TellContext): readonly AgentEvent[] {
    const pending = lastOfEach(this.#pending)
    const results = isCheckpoint ? this.#results.sort(bySeq) : []
    this.#pending = []
    if (isCheckpoint) this.#results = []
    const resultsAt = Math.max(pending.findIndex(endsTurn), 0)
    const events: AgentEvent[] = []
    for (let index = 0; index <= pending.length; index++) {
      if (index === resultsAt) for (const result of results) tell(result, context, events)
      const item = pending[index]
      if (item !== undefined) tell(item, context, events)
    }
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
}

/** A call, and the state, are told as the commit leaves them, so only the last change of each counts. */
function lastOfEach(pending: readonly PendingEvent[]): readonly PendingEvent[] {
  const seen = new Set<string>()
  const last: PendingEvent[] = []
  for (let index = pending.length - 1; index >= 0; index--) {
    const item = pending[index]
    if (item === undefined) continue
    const subject = item.kind === 'call' ? `call ${item.callId}` : item.kind === 'state' ? 'state' : undefined
    if (subject !== undefined && seen.has(subject)) continue
    if (subject !== undefined) seen.add(subject)
    last.push(item)
  }
  return last.toReversed()
}

function bySeq(left: PendingMessage, right: PendingMessage): number {
  return left.seq - right.seq
}

function endsTurn(item: PendingEvent): boolean {
  return item.kind === 'announcement' && item.announcement.type === 'turn.ended'
}

function tell(item: PendingEvent, context: TellContext, events: AgentEvent[]): void {
  const { runId, at } = context
  switch (item.kind) {
    case 'announcement':
      events.push(context.toEvent(item.announcement))
      return
    case 'message':
      events.push({ type: 'message.ended', runId, at, seq: item.seq, message: item.message })
      return
    case 'state':
      events.push({ type: 'state.changed', runId, at, state: item.state })
      return
    case 'call': {
      const call = context.call(item.callId)
      if (call === undefined) return
      if (isTerminal(call.status)) events.push({ type: 'call.settled', runId, at, call })
      else if (call.status === 'suspended') events.push({ type: 'call.suspended', runId, at, call })
    }
  }
}
