import type { CallPlan } from '../../machines/run/run.types.ts'
import { type CallStatus, isTerminal } from '../domain/call.ts'
import type { Configuration, Happening, Move } from './exploration-types.ts'
import { callsOfTurn } from './move-outcomes.ts'

/** What is known of one call by having watched it; never read from a chart. */
export interface CallFacts {
  readonly plan: CallPlan
  readonly turn: number
  readonly status: CallStatus
  /** Its gate has let it through, refused or suspended it. */
  readonly isGated: boolean
  readonly isFirstSuspended: boolean
  readonly suspensions: number
  /** The reason of its latest suspension. */
  readonly reason: string | null
  /** An answer to its current suspension has been delivered. */
  readonly answer: 'resume' | 'cancel' | null
  /** The latest decision that came before its first suspension. */
  readonly kept: 'resume' | 'cancel' | null
  readonly attempts: number
  readonly revision: number
  readonly results: number
  readonly statusWrites: number
  readonly hasPlaceholder: boolean
  readonly lateResults: number
  /** Its result is part of a checkpoint. */
  readonly isPublished: boolean
  readonly hasPatch: boolean
  readonly patches: number
  readonly hadPatch: boolean
}

/** What an ending that waits for the gate is about. */
export interface AskedEnding {
  readonly reason: 'natural_end' | 'plugin_requested' | 'stopped'
  readonly code?: string
}

/** What is known of a run by having watched every move since its start. */
export interface Facts {
  readonly top: string
  readonly calls: { readonly [callId: string]: CallFacts }
  /** Calls of the turn in hand. */
  readonly round: readonly string[]
  readonly hasInput: boolean
  readonly turn: number
  readonly isTurnOpen: boolean
  readonly ending: AskedEnding | null
  /** Left `waiting`, and no model call since. */
  readonly isResumed: boolean
  /** Results were published that no model has read. */
  readonly isUnheard: boolean
  readonly isFinishing: boolean
  /** Why the run must end, once it is certain. */
  readonly verdict: 'cancelled' | 'error' | null
  readonly notes: readonly string[]
  /** The note a cancel asks for. */
  readonly cancelNote: string | null
  readonly hasFailure: boolean
  readonly lastName: string | null
  /** An assistant turn with calls has been committed, its results not yet. */
  readonly owesResults: boolean
  readonly said: string | null
  readonly startsSaid: number
  /** The model call in hand: attempts at this model, models tried, continuations. */
  readonly failures: number
  readonly modelIndex: number
  readonly continuations: number
  readonly phases: readonly string[]
}

export const noFacts: Facts = {
  top: 'running',
  calls: {},
  round: [],
  hasInput: false,
  turn: 0,
  isTurnOpen: false,
  ending: null,
  isResumed: false,
  isUnheard: false,
  isFinishing: false,
  verdict: null,
  notes: [],
  cancelNote: null,
  hasFailure: false,
  lastName: null,
  owesResults: false,
  said: null,
  startsSaid: 0,
  failures: 0,
  modelIndex: 0,
  continuations: 0,
  phases: [],
}
