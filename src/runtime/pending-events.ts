import { type CallRecord, isTerminal } from '../domain/call.ts'
import { isCallResult } from '../domain/call-result.ts'
import type { AgentEvent } from '../domain/event.ts'
import type { Json } from '../domain/json.ts'
import type { Message } from '../domain/message.ts'
import type { Announcement } from './effect-logic.ts'

type Told =
  | { readonly kind: 'announcement'; readonly announcement: Announcement }
  | { readonly kind: 'message'; readonly seq: number; readonly message: Message }
  | { readonly kind: 'call'; readonly callId: string }
  | { readonly kind: 'state'; readonly state: Json }

/**
 * Collects what there is to tell until the commit that holds it. Results of a round are told together,
 * in the order of its calls, when the round is committed.
 */
export class PendingEvents {
  #told: Told[] = []
  #results: Extract<Told, { kind: 'message' }>[] = []

  announce(announcement: Announcement): void {
    this.#told.push({ kind: 'announcement', announcement })
  }

  message(seq: number, message: Message): void {
    if (isCallResult(message)) this.#results.push({ kind: 'message', seq, message })
    else this.#told.push({ kind: 'message', seq, message })
  }

  /** A call is told of as the commit leaves it, so only its last change of a commit counts. */
  callChanged(callId: string): void {
    this.#told = this.#told.filter((item) => item.kind !== 'call' || item.callId !== callId)
    this.#told.push({ kind: 'call', callId })
  }

  /** The state is told as the commit leaves it. */
  stateChanged(state: Json): void {
    this.#told = this.#told.filter((item) => item.kind !== 'state')
    this.#told.push({ kind: 'state', state })
  }

  get isEmpty(): boolean {
    return this.#told.length === 0
  }

  clear(): void {
    this.#told = []
    this.#results = []
  }

  /** The events of a commit; results wait for a checkpoint and come before what the charts say of its turn. */
  flush(isCheckpoint: boolean, context: TellContext): readonly AgentEvent[] {
    const { runId, at } = context
    const told = this.#told.splice(0)
    const results = isCheckpoint ? this.#results.splice(0) : []
    const firstEnd = told.findIndex((item) => item.kind === 'announcement' && item.announcement.type === 'turn.ended')
    const index = firstEnd < 0 ? 0 : firstEnd
    const inOrder = results.toSorted((left, right) => left.seq - right.seq)
    return [...told.slice(0, index), ...inOrder, ...told.slice(index)].flatMap((item): readonly AgentEvent[] => {
      switch (item.kind) {
        case 'announcement':
          return [context.toEvent(item.announcement)]
        case 'message':
          return [{ type: 'message.ended', runId, at, seq: item.seq, message: item.message }]
        case 'call':
          return callEvent(runId, at, context.call(item.callId))
        case 'state':
          return [{ type: 'state.changed', runId, at, state: item.state }]
      }
    })
  }
}

/** What pending events are spelled out with, once their commit is accepted. */
export interface TellContext {
  readonly runId: string
  /** Unix milliseconds of the commit. */
  readonly at: number
  /** Spells out an announcement. */
  toEvent(announcement: Announcement): AgentEvent
  call(callId: string): CallRecord | undefined
}

function callEvent(runId: string, at: number, call: CallRecord | undefined): readonly AgentEvent[] {
  if (call === undefined) return []
  if (isTerminal(call.status)) return [{ type: 'call.settled', runId, at, call }]
  return call.status === 'suspended' ? [{ type: 'call.suspended', runId, at, call }] : []
}
