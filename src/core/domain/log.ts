import type { CallRecord, CallStep, StateChange } from './call.ts'
import type { Json } from './text/json.ts'
import type { EventsEntry } from './kept-events.ts'
import type { Message, ToolErrorCode } from './message.ts'
import type { Notice } from './passing-event.ts'
import type { CheckpointName, RunError } from './outcome.ts'
import type { InputPlace, SaidHead } from './payload.ts'
import type { Suspension } from './suspension.ts'

/**
 * What a run knows that is no message; of several values of one name the latest counts. `instructions` is the system
 * prompt that a context builder made. `output` is what the output contract made of the answer before it.
 * `rejection` says why an input filter refused the prompt. `undelivered` holds the messages that no model had read when
 * the run ended. `prompt` is what a context builder made of the user's messages. `request` is what plugins ask of the
 * model call that follows. `compaction` is what of the prompt is sent otherwise than the transcript has it.
 * `recalled` is what a memory gave for the input. `refusal` is what an answer has cost that a plugin refused.
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

/** One entry of a run's append-only log; `seq` is gapless in what a run writes, and starts at 1, or behind what it goes on with. */
export type LogEntry =
  | { readonly kind: 'message'; readonly seq: number; readonly message: Message; readonly replaces?: number }
  | { readonly kind: 'call'; readonly seq: number; readonly call: CallRecord }
  | { readonly kind: 'state'; readonly seq: number; readonly state: Json }
  | { readonly kind: 'value'; readonly seq: number; readonly name: ValueName; readonly value: Json }
  /** The events that were told once the commit was accepted. */
  | EventsEntry
  | {
      readonly kind: 'checkpoint'
      readonly seq: number
      readonly names: readonly CheckpointName[]
      readonly document: string
      /** Unix milliseconds. */
      readonly at: number
    }

/** What an event may tell of an entry: its message, its result, its state or its value. */
export function heldIn(entry: LogEntry): Message | Json | undefined {
  switch (entry.kind) {
    case 'message':
      return entry.message
    case 'call':
      return entry.call.result
    case 'state':
      return entry.state
    case 'value':
      return entry.value
    case 'events':
    case 'checkpoint':
      return undefined
  }
}

/** What an effect or a chart wants to write with the next commit. */
export type Write =
  /** `replaces` is the slot of a call whose placeholder the prompt no longer shows. */
  | {
      readonly kind: 'append'
      readonly message: Message
      readonly replaces?: number
      /** Of an answer: the part of the prompt before that its own began with; told, and not stored. */
      readonly prefixShare?: number
    }
  /** The messages the run begins with. */
  | { readonly kind: 'input'; readonly from: InputPlace; readonly warnings: readonly string[] }
  /** What somebody said to the run. */
  | { readonly kind: 'said'; readonly said: SaidHead }
  /** Somebody said it, and a filter refused it: nothing of it is kept. */
  | { readonly kind: 'refused'; readonly inboxId: number }
  /** What a run that ends has not taken in. */
  | { readonly kind: 'undelivered'; readonly said: readonly SaidHead[] }
  /** A user message of the engine's own, stamped with the time of the step. */
  | { readonly kind: 'note'; readonly text: string }
  /** An assistant message with stop reason `error`, so that a failed model call never vanishes. */
  | { readonly kind: 'failure'; readonly error: RunError }
  /** A slot for one call of the message appended just before, in the order of the calls. */
  | { readonly kind: 'reserve'; readonly call: Omit<CallRecord, 'seq' | 'messageSeq' | 'status'> }
  | { readonly kind: 'call'; readonly callId: string; readonly patch: Partial<CallRecord> }
  /** A step of a call's tool has finished. */
  | { readonly kind: 'step'; readonly callId: string; readonly step: CallStep }
  /** The suspension a call is in; what is known of it already is kept. */
  | { readonly kind: 'suspension'; readonly callId: string; readonly suspension: Suspension }
  /** The result of a call that got none from its tool. */
  | { readonly kind: 'result'; readonly callId: string; readonly text: string; readonly code?: ToolErrorCode }
  /** Appends text to the result a call has. */
  | { readonly kind: 'amend'; readonly callId: string; readonly text: string }
  /** Tells which suspension a kept decision came to answer. */
  | { readonly kind: 'keptDecision'; readonly inboxId: number; readonly suspensionId: string }
  /** Tells the late result of a call whose slot shows a placeholder. */
  | { readonly kind: 'tellLateResult'; readonly callId: string }
  /** Applies the state changes the call asked for, once. */
  | { readonly kind: 'applyPatch'; readonly callId: string }
  | { readonly kind: 'state'; readonly changes: readonly StateChange[] }
  /** Emits what an effect met, once the commit is accepted. */
  | { readonly kind: 'notice'; readonly event: Notice }
  /** Keeps what the run knows by this name from now on. */
  | { readonly kind: 'value'; readonly name: ValueName; readonly value: Json }
