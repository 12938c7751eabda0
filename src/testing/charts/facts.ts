import type { CallPlan } from '../../core/domain/call-plan.ts'
import type { CallStatus } from '../../core/domain/call.ts'
import type { SaidKind } from './exploration-types.ts'

/** What is known of one call by having watched it; never read from a chart. */
export interface CallFacts {
  readonly plan: CallPlan
  /** No call of a model: a plugin holds the run with it. */
  readonly isHold: boolean
  readonly status: CallStatus
  /** What its gate said; null before. */
  readonly verdict: string | null
  /** It goes beyond the equal calls that the option bears. */
  readonly isRepeated: boolean
  /** The gate has spoken and the call went on from `new`. */
  readonly isGated: boolean
  readonly isFirstSuspended: boolean
  readonly suspensions: number
  readonly isInterrupted: boolean
  /** An answer to its current suspension has been delivered. */
  readonly answer: 'resume' | 'cancel' | null
  /** The latest decision that came before its first suspension. */
  readonly kept: 'resume' | 'cancel' | null
  readonly isReplay: boolean
  readonly attempts: number
  /** Failures in a row that its tool is tried again after. */
  readonly failures: number
  /** Its tool has failed and is to be tried again, and the wait before that is not over. */
  readonly isBackingOff: boolean
  readonly revision: number
  readonly results: number
  readonly statusWrites: number
  readonly hasPlaceholder: boolean
  readonly lateResults: number
  /** A checkpoint of results has passed it by while it was open. */
  readonly isPassed: boolean
  /** Its result is part of a checkpoint. */
  readonly isCheckpointed: boolean
  readonly hasPatch: boolean
  readonly patches: number
}

/** How something asked for the run to end, once the gate lets it. */
export interface AskedOutcome {
  readonly reason: 'natural_end' | 'plugin_requested' | 'stopped'
  readonly code?: string
}

/** Equal calls with equal results, counted by hand. */
export interface WatchedStreak {
  readonly hash: string
  readonly result: string
  readonly count: number
}

/** What is known of a run by having watched every move since its start. */
export interface Facts {
  readonly top: string
  readonly calls: { readonly [callId: string]: CallFacts }
  /** Calls of the current turn. */
  readonly round: readonly string[]
  readonly hasInput: boolean
  readonly turn: number
  readonly isTurnOpen: boolean
  /** An answer has come whose checkpoint has not. */
  readonly owesTurn: boolean
  /** A turn with calls was committed whose results were not. */
  readonly owesResults: boolean
  /** A call was replayed, and no results were committed since. */
  readonly owesReplay: boolean
  readonly askedOutcome: AskedOutcome | null
  /** Left `waiting`, and no model call since. */
  readonly isResumed: boolean
  /** Results were published that no model has read. */
  readonly isUnheard: boolean
  readonly isFinishing: boolean
  /** The model has been asked for its final answer. */
  readonly isFinalAsked: boolean
  readonly hasFinalAnswer: boolean
  /** The running time is over, or the time for a final answer. */
  readonly isTimeOver: boolean
  /** The running time has been over once. */
  readonly wasTimeOver: boolean
  /** The timer of the running time has not fired. */
  readonly isTimed: boolean
  /** Where phase runEnd leads: to the end, or to a wait. */
  readonly leaving: 'end' | 'wait' | null
  /** Why the run must end, once it is certain. */
  readonly verdict: 'cancelled' | 'error' | null
  /** The note a cancel leaves in the transcript. */
  readonly cancelNote: string | null
  readonly owesFailure: boolean
  readonly lastName: string | null
  readonly lastAnnouncement: string | null
  /** Phases heard since the last turn boundary. */
  readonly phases: readonly string[]
  readonly failures: number
  readonly modelIndex: number
  readonly continuations: number
  /** Times new credentials were asked for in this model call. */
  readonly refreshes: number
  /** Times the prompt was made smaller in this model call. */
  readonly recoveries: number
  /** Times a summary was asked for in this model call. */
  readonly summaries: number
  /** How often a memory was asked. */
  readonly recalls: number
  /** Summaries that were paid for in this run. */
  readonly paidSummaries: number
  readonly streak: WatchedStreak | null
  /** A call was blocked whose permission nobody has asked for. */
  readonly owesRequest: boolean
  readonly said: SaidFacts
  readonly hooks: HookFacts
}

/** Something said that nobody has taken in; late where the end of the run was told before it. */
export interface Waiting {
  readonly kind: SaidKind
  readonly text: string
  readonly isLate: boolean
}

/** What came into the run beside its calls, and how it stands to its filters and its output contract. */
export interface SaidFacts {
  readonly counts: { readonly [kind in SaidKind]: number }
  /** Steering and follow-ups nobody has taken in, in the order they were said. */
  readonly waiting: readonly Waiting[]
  /** What the filters have let pass: `prompt`, or a text that was said. */
  readonly passed: readonly string[]
  /** A message that was said has just been written down, and its checkpoint has not. */
  readonly isTaking: boolean
  /** Messages for the transcript alone that it does not hold yet. */
  readonly owesExtension: boolean
  /** The answer that is not committed yet does not fit the contract, or the contract itself failed. */
  readonly answer: 'fits' | 'unfit' | 'stillUnfit' | 'spoiled'
  readonly owesCorrection: boolean
  /** The model was told what was wrong and has not answered since. */
  readonly isCorrecting: boolean
  /** Times the model was told so since an answer that fitted. */
  readonly corrections: number
}

/** What hooks of the loop are owed. */
export interface HookFacts {
  readonly isLoopAsked: boolean
  readonly owesAfterTurn: boolean
  /** The turn under way, or the last one, has its answer. */
  readonly isTurnAnswered: boolean
  readonly isErrorTold: boolean
  readonly isEndTold: boolean
  /** The model gave no answer, or the contract failed: the run ends in error by the way a turn ends. */
  readonly hasTurnFailed: boolean
}

const nothingSaid: SaidFacts = {
  counts: { steer: 0, followUp: 0, extension: 0 },
  waiting: [],
  passed: [],
  isTaking: false,
  owesExtension: false,
  answer: 'fits',
  owesCorrection: false,
  isCorrecting: false,
  corrections: 0,
}

const noHooks: HookFacts = {
  isLoopAsked: false,
  owesAfterTurn: false,
  isTurnAnswered: false,
  isErrorTold: false,
  isEndTold: false,
  hasTurnFailed: false,
}

/** Nothing has happened yet. */
export const noFacts: Facts = {
  top: 'running',
  calls: {},
  round: [],
  hasInput: false,
  turn: 0,
  isTurnOpen: false,
  owesTurn: false,
  owesResults: false,
  owesReplay: false,
  askedOutcome: null,
  isResumed: false,
  isUnheard: false,
  isFinishing: false,
  isFinalAsked: false,
  hasFinalAnswer: false,
  isTimeOver: false,
  wasTimeOver: false,
  isTimed: true,
  leaving: null,
  verdict: null,
  cancelNote: null,
  owesFailure: false,
  lastName: null,
  lastAnnouncement: null,
  phases: [],
  failures: 0,
  modelIndex: 0,
  continuations: 0,
  refreshes: 0,
  recoveries: 0,
  summaries: 0,
  recalls: 0,
  paidSummaries: 0,
  streak: null,
  owesRequest: false,
  said: nothingSaid,
  hooks: noHooks,
}

/** A call the model has just asked for. */
export function newCall(plan: CallPlan): CallFacts {
  return {
    plan,
    isHold: false,
    status: 'new',
    verdict: null,
    isGated: false,
    isFirstSuspended: false,
    suspensions: 0,
    isInterrupted: false,
    answer: null,
    kept: null,
    isReplay: false,
    isRepeated: false,
    attempts: 0,
    failures: 0,
    isBackingOff: false,
    revision: 0,
    results: 0,
    statusWrites: 0,
    hasPlaceholder: false,
    lateResults: 0,
    isPassed: false,
    isCheckpointed: false,
    hasPatch: false,
    patches: 0,
  }
}

/** Puts other facts of one call in the place of those known. */
export function patched(facts: Facts, callId: string, patch: Partial<CallFacts>): Facts {
  const call = facts.calls[callId]
  return call === undefined ? facts : { ...facts, calls: { ...facts.calls, [callId]: { ...call, ...patch } } }
}

/** The calls known, in the order the model asked for them. */
export function callsOf({ calls }: Facts): readonly (readonly [string, CallFacts])[] {
  return Object.entries(calls)
}
