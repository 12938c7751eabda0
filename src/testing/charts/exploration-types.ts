import type { CallPlan } from '../../core/domain/call-plan.ts'
import type { RunOptions } from '../../../machines/run/run.types.ts'
import type { CallStatus } from '../../core/domain/call.ts'
import type { MachineState } from '../../core/step/actor-state.ts'
import type { Write } from '../../core/domain/log.ts'
import type { CheckpointName } from '../../core/domain/outcome.ts'
import type { SuspensionReason } from '../../core/domain/suspension.ts'

/** Names of abstract outcomes, by the name of the effect that may have them. */
export interface OutcomeNames {
  readonly callModel?: readonly (
    | 'calls'
    | 'text'
    | 'truncated'
    | 'busy'
    | 'broken'
    | 'unauthorized'
    | 'overflowed'
    | 'outgrown'
    | 'unfit'
    | 'spoiled'
  )[]
  readonly filterInput?: readonly ('passed' | 'warned' | 'rejected')[]
  /** Of a request, and of an answer that the manager is told. */
  readonly askManager?: readonly ('asked' | 'failed')[]
  readonly buildContext?: readonly ('kept' | 'replaced')[]
  readonly compactPrompt?: readonly ('compacted' | 'outgrown')[]
  readonly refreshCredentials?: readonly ('refreshed' | 'failed')[]
  readonly gateCall?: readonly ('allowed' | 'refused' | 'supplied' | 'suppliedBadly' | 'suspended')[]
  readonly runTool?: readonly ('succeeded' | 'failed' | 'retried' | 'suspended' | 'patched')[]
  readonly gateReplay?: readonly ('allowed' | 'edited' | 'refused' | 'supplied' | 'suppliedBadly' | 'suspended')[]
  readonly ask?: readonly ('passed' | 'terminated' | 'stopped' | 'held')[]
}

/** What else may happen to a run of a configuration. */
export interface Interference {
  readonly decisions?: readonly ('resume' | 'cancel')[]
  /** Decisions that come before the call has suspended. */
  readonly kept?: readonly ('resume' | 'cancel')[]
  readonly cancelCall?: boolean
  readonly cancelRun?: boolean
  readonly fail?: boolean
  readonly wake?: boolean
  /** Suspensions expire. */
  readonly expiry?: boolean
  /** What is said to the run while it is under way, each as often as it stands here. */
  readonly says?: readonly SaidKind[]
  /** Events nobody should take: stale decisions, unknown calls. */
  readonly strays?: boolean
}

/** Steering, a follow-up, or a message for the transcript alone. */
export type SaidKind = 'steer' | 'followUp' | 'extension'

/** A small bounded system: options of a run, what its model may ask for and what may happen. */
export interface Configuration {
  readonly name: string
  readonly options: RunOptions
  /** Calls a model turn may ask for, by turn; a turn beyond the list answers with text. */
  readonly turns: readonly (readonly CallPlan[])[]
  readonly outcomes: OutcomeNames
  readonly interference: Interference
  /** Why tools and gates suspend in this configuration. */
  readonly reason: SuspensionReason
  /** Suspensions a call may go through before its outcomes leave `suspended` out. */
  readonly maxSuspensions: number
}

/** One thing that may happen to a run from outside. */
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
  /** `count` tells what is said of one kind apart, from 1. */
  | { readonly type: 'say'; readonly kind: SaidKind; readonly count: number }
  | { readonly type: 'fail' }
  /** Another process takes the run up where it was left. */
  | { readonly type: 'wake' }

/** What a decision answers: the current suspension, an earlier one, or the first to come. */
export type Answers = 'current' | 'past' | 'first'

/** An effect that waits to be performed, named by the actor that wants it. */
export interface OpenEffect {
  readonly key: string
  /** Actor that invoked the effect: a call id, `modelCall`, or `run`. */
  readonly owner: string
  readonly src: string
  readonly input: unknown
}

/** What was seen while a run took one move, in order. */
export type Happening =
  | { readonly kind: 'hop'; readonly callId: string; readonly from: CallStatus; readonly to: CallStatus }
  | { readonly kind: 'top'; readonly from: string; readonly to: string }
  | { readonly kind: 'write'; readonly write: Write }
  | { readonly kind: 'name'; readonly name: CheckpointName }
  | { readonly kind: 'announcement'; readonly announcement: { readonly type: string } }
  | { readonly kind: 'effect'; readonly effect: OpenEffect }

/** How a run stands between two moves. */
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
  /** A snapshot read back from a store, to go on from in the text's place. */
  readonly snapshot?: MachineState
  /** What the root actor failed with. */
  readonly failure?: unknown
}
