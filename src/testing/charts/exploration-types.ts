import type { CallPlan } from '../../core/domain/call-plan.ts'
import type { RunOptions } from '../../../machines/run/run.types.ts'
import type { CallStatus } from '../../core/domain/call.ts'
import type { MachineState } from '../../core/step/actor-state.ts'
import type { Write } from '../../core/domain/log.ts'
import type { CheckpointName } from '../../core/domain/outcome.ts'
import type { SuspensionReason } from '../../core/domain/suspension.ts'

/** Names of abstract outcomes, by the name of the effect. */
export interface OutcomeNames {
  readonly callModel?: readonly (
    | 'calls'
    | 'text'
    | 'truncated'
    | 'busy'
    | 'broken'
    | 'unauthorized'
    | 'overflowed'
    | 'mediaRefused'
    | 'outgrown'
    | 'refused'
    | 'exhausted'
    | 'asking'
    | 'unfit'
    | 'spoiled'
  )[]
  readonly filterInput?: readonly ('passed' | 'warned' | 'rejected')[]
  /** The outcome of a permission request, or of an answer that is reported to the manager. */
  readonly askManager?: readonly ('asked' | 'failed')[]
  readonly buildContext?: readonly ('kept' | 'replaced')[]
  readonly compactPrompt?: readonly ('compacted' | 'outgrown')[]
  readonly refreshCredentials?: readonly ('refreshed' | 'failed')[]
  readonly gateCall?: readonly ('allowed' | 'refused' | 'supplied' | 'suppliedBadly' | 'suspended')[]
  readonly runTool?: readonly ('succeeded' | 'failed' | 'retried' | 'suspended' | 'patched')[]
  readonly gateReplay?: readonly ('allowed' | 'edited' | 'refused' | 'supplied' | 'suppliedBadly' | 'suspended')[]
  readonly ask?: readonly ('passed' | 'terminated' | 'stopped' | 'held')[]
}

/** Interference from outside that a configuration allows. */
export interface Interference {
  readonly decisions?: readonly ('resume' | 'cancel')[]
  /** Decisions that come before the call has suspended. */
  readonly kept?: readonly ('resume' | 'cancel')[]
  readonly cancelCall?: boolean
  readonly cancelRun?: boolean
  readonly fail?: boolean
  readonly wake?: boolean
  /** Allows suspensions to expire. */
  readonly expiry?: boolean
  /** Messages to the running run. A kind may be sent as many times as it is listed. */
  readonly says?: readonly SaidKind[]
  /** Sends events that the run must ignore: stale decisions and unknown calls. */
  readonly strays?: boolean
}

/** The kind of a message to a run: steering, a follow-up, a result of background work, or one for the transcript only. */
export type SaidKind = 'steer' | 'followUp' | 'background' | 'extension'

/** A small bounded system: the options of a run, the calls that its model may ask for, and the interference. */
export interface Configuration {
  readonly name: string
  readonly options: RunOptions
  /** Calls that a model turn may ask for, by turn; the model answers with text in a turn beyond the list. */
  readonly turns: readonly (readonly CallPlan[])[]
  readonly outcomes: OutcomeNames
  readonly interference: Interference
  /** The reason of the suspensions by tools and gates in this configuration. */
  readonly reason: SuspensionReason
  /** The number of suspensions of a call after which `suspended` is no longer among its outcomes. */
  readonly maxSuspensions: number
}

/** One event from outside that may happen to a run. */
export type Move =
  | { readonly type: 'complete'; readonly owner: string; readonly src: string; readonly outcome: string }
  | {
      readonly type: 'decide'
      readonly callId: string
      readonly action: 'resume' | 'cancel'
      readonly answers: Answers
    }
  | { readonly type: 'cancelCall'; readonly callId: string }
  | { readonly type: 'cancelRun' }
  /** `count` numbers the messages of one kind from 1. */
  | { readonly type: 'say'; readonly kind: SaidKind; readonly count: number }
  | { readonly type: 'fail' }
  /** Another process restores the run and continues it. */
  | { readonly type: 'wake' }

/** The suspension that a decision answers: the current one, an earlier one, or the first one to come. */
export type Answers = 'current' | 'past' | 'first'

/** An effect that is not performed yet. */
export interface OpenEffect {
  readonly key: string
  /** The actor that invoked the effect: a call id, `modelCall`, or `run`. */
  readonly owner: string
  readonly src: string
  readonly input: unknown
}

/** One observation during a move of a run. */
export type Happening =
  | { readonly kind: 'hop'; readonly callId: string; readonly from: CallStatus; readonly to: CallStatus }
  | { readonly kind: 'top'; readonly from: string; readonly to: string }
  | { readonly kind: 'write'; readonly write: Write }
  | { readonly kind: 'name'; readonly name: CheckpointName }
  | { readonly kind: 'announcement'; readonly announcement: { readonly type: string } }
  | { readonly kind: 'effect'; readonly effect: OpenEffect }

/** The state of a run between two moves. */
export interface Standing {
  /** Nested state value of the run. */
  readonly value: unknown
  /** `running`, `waiting` or `done`. */
  readonly top: string
  /** Nested state values of the live calls. */
  readonly calls: { readonly [callId: string]: unknown }
  readonly effects: readonly OpenEffect[]
  /** JSON text of the whole machine. */
  readonly text: string
  /** A snapshot read from a store; if given, the run continues from it instead of the text. */
  readonly snapshot?: MachineState
  /** The error of the root actor, if it failed. */
  readonly failure?: unknown
}
