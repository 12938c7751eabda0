import { type CallRecord, type CallResult, type CallStep, isCallResult, type StateChange } from './call.ts'
import { freezeDeep, type Json } from './text/json.ts'
import type { MarkedEvent } from './marked-event.ts'
import type { Message, ToolErrorCode } from './message.ts'
import type { Notice } from './passing-event.ts'
import type { CheckpointName, RunError } from './outcome.ts'
import type { InputPlace, SaidHead } from './payload.ts'
import type { Suspension } from './suspension.ts'

/**
 * The names of a run's values that are not messages; the latest value of a name counts. `instructions` is the system
 * prompt from a context builder. `output` is the result of the output contract for the answer before it. `rejection` is
 * the reason for which an input filter rejected the prompt. `undelivered` has the messages that no model had read when
 * the run ended. `prompt` is a context builder's replacement of the user's messages. `request` is the plugins' plan for
 * the next model call. `compaction` describes the difference between the prompt and the transcript. `recalled` is a
 * memory's answer to the input. `refusal` is the cost of an answer that a plugin refused. `branches` has the ids of a
 * group's runs, and `selection` the winner.
 */
export type ValueName =
  | 'instructions'
  | 'output'
  | 'rejection'
  | 'undelivered'
  | 'prompt'
  | 'request'
  | 'compaction'
  | 'recalled'
  | 'refusal'
  | 'branches'
  | 'selection'

/**
 * One entry of a run's append-only log. The `seq` of the entries that a run writes has no gaps; it starts at 1, or
 * after the entries that the run continues from. `at` is the time of the entry in Unix milliseconds. A message, state
 * or value without `at` emits no event, because it is a copy of another run's entry or was given to the run.
 */
export type LogEntry =
  | MessageEntry
  | { readonly kind: 'call'; readonly seq: number; readonly call: CallRecord }
  | { readonly kind: 'state'; readonly seq: number; readonly state: Json; readonly at?: number }
  | ValueEntry
  | MarkEntry
  | {
      readonly kind: 'checkpoint'
      readonly seq: number
      readonly names: readonly CheckpointName[]
      readonly document: string
      readonly at: number
    }

/** A message of the transcript. */
export interface MessageEntry {
  readonly kind: 'message'
  readonly seq: number
  readonly message: Message
  readonly at?: number
  /** The current turn; for user messages between turns, the next turn. */
  readonly turn?: number
  /** The slot that shows the message, if the message is the result of a call. */
  readonly place?: number
}

/** A named value. Only the value `compaction` has a time and a turn. */
export interface ValueEntry {
  readonly kind: 'value'
  readonly seq: number
  readonly name: ValueName
  readonly value: Json
  readonly at?: number
  readonly turn?: number
}

/** An event that no other entry holds. Absent if nothing is left to emit once the commit is built. */
export interface MarkEntry {
  readonly kind: 'mark'
  readonly seq: number
  readonly at: number
  readonly event?: MarkedEvent
}

/** An entry as it is read for its event. Slots of calls and checkpoints emit nothing, so only their numbers are read. */
export type EmittingEntry =
  | Exclude<LogEntry, { readonly kind: 'call' | 'checkpoint' }>
  | { readonly kind: 'call' | 'checkpoint'; readonly seq: number }

/** Gives each call of a log its result, which is stored in the entry that published it. */
export function withResults(log: readonly LogEntry[]): readonly LogEntry[] {
  const results = new Map<number, Message>()
  for (const entry of log)
    if (entry.kind === 'message' && entry.place !== undefined) results.set(entry.place, entry.message)
  if (results.size === 0) return log
  return log.map((entry) => {
    if (entry.kind !== 'call' || entry.call.resultSeq === undefined || entry.call.result !== undefined) return entry
    const result = results.get(entry.seq)
    return result === undefined || !isCallResult(result) ? entry : withResult(entry, result)
  })
}

function withResult(entry: Extract<LogEntry, { kind: 'call' }>, result: CallResult): LogEntry {
  const call = { ...entry.call, result }
  return Object.isFrozen(entry) ? freezeDeep({ ...entry, call }) : { ...entry, call }
}

/** A write of an effect or a chart for the next commit. */
export type Write =
  | {
      readonly kind: 'append'
      readonly message: Message
      /** For an answer: the share of the previous prompt that its own prompt begins with; emitted and not stored. */
      readonly prefixShare?: number
    }
  /** The messages that the run begins with. */
  | { readonly kind: 'input'; readonly from: InputPlace; readonly warnings: readonly string[] }
  /** A message to the run. */
  | { readonly kind: 'said'; readonly said: SaidHead }
  /** A message that a filter rejected; its content is not kept. */
  | { readonly kind: 'refused'; readonly inboxId: number }
  /** The queued messages that an ending run has not processed. */
  | { readonly kind: 'undelivered'; readonly said: readonly SaidHead[] }
  /** A user message of the engine itself, with the time of the step. */
  | { readonly kind: 'note'; readonly text: string }
  /** An assistant message with stop reason `error`, which records a failed model call. */
  | { readonly kind: 'failure'; readonly error: RunError }
  /** A slot for one call of the message appended just before, in the order of the calls. */
  | { readonly kind: 'reserve'; readonly call: Omit<CallRecord, 'seq' | 'messageSeq' | 'status'> }
  | { readonly kind: 'call'; readonly callId: string; readonly patch: Partial<CallRecord> }
  /** A finished step of a call's tool. */
  | { readonly kind: 'step'; readonly callId: string; readonly step: CallStep }
  /** The suspension of a call; known fields of it are kept. */
  | { readonly kind: 'suspension'; readonly callId: string; readonly suspension: Suspension }
  /** The result of a call without a result from its tool. */
  | { readonly kind: 'result'; readonly callId: string; readonly text: string; readonly code?: ToolErrorCode }
  /** Appends text to a call's result. */
  | { readonly kind: 'amend'; readonly callId: string; readonly text: string }
  /** Records the suspension that a kept decision has answered. */
  | { readonly kind: 'keptDecision'; readonly inboxId: number; readonly suspensionId: string }
  /** Publishes the late result of a call whose slot shows a placeholder. */
  | { readonly kind: 'tellLateResult'; readonly callId: string }
  /** Applies the state changes that the call requested, once. */
  | { readonly kind: 'applyPatch'; readonly callId: string }
  | { readonly kind: 'state'; readonly changes: readonly StateChange[] }
  /** Emits an effect's event after the commit is accepted. */
  | { readonly kind: 'notice'; readonly event: Notice }
  /** Stores a value of the run under this name. */
  | { readonly kind: 'value'; readonly name: ValueName; readonly value: Json }
