import type { CallPlan } from '../../core/domain/call-plan.ts'
import type { CallStatus } from '../../core/domain/call.ts'
import type { SaidKind } from './exploration-types.ts'

/** Facts about one call that come from watching its moves, never from a chart. */
export interface CallFacts {
  readonly plan: CallPlan
  /** True if the call is a hold of a plugin instead of a call of the model. */
  readonly isHold: boolean
  readonly status: CallStatus
  /** The verdict of the call's gate; null before the gate. */
  readonly verdict: string | null
  /** True if the call exceeds the option's limit of equal calls. */
  readonly isRepeated: boolean
  /** True if the gate has decided and the call has left `new`. */
  readonly isGated: boolean
  readonly isFirstSuspended: boolean
  readonly suspensions: number
  readonly isInterrupted: boolean
  /** The action of the delivered answer to the current suspension. */
  readonly answer: 'resume' | 'cancel' | null
  /** The latest decision that arrived before the call's first suspension. */
  readonly kept: 'resume' | 'cancel' | null
  readonly isReplay: boolean
  readonly attempts: number
  /** The number of consecutive failures after which the tool is retried. */
  readonly failures: number
  /** True if the tool has failed, will be retried, and is still waiting for the retry. */
  readonly isBackingOff: boolean
  readonly revision: number
  readonly results: number
  readonly statusWrites: number
  readonly hasPlaceholder: boolean
  readonly lateResults: number
  /** True if a checkpoint of results was committed while the call was open. */
  readonly isPassed: boolean
  /** True if the call's result is part of a checkpoint. */
  readonly isCheckpointed: boolean
  readonly hasPatch: boolean
  readonly patches: number
}

/** A requested end of the run, which happens as soon as the gate allows it. */
export interface AskedOutcome {
  readonly reason: 'natural_end' | 'plugin_requested' | 'stopped'
  readonly code?: string
}

/** A streak of equal calls with equal results, counted by hand. */
export interface WatchedStreak {
  readonly hash: string
  readonly result: string
  readonly count: number
}

/** Facts about a run that come from watching every move since its start. */
export interface Facts {
  readonly top: string
  readonly calls: { readonly [callId: string]: CallFacts }
  /** Calls of the current turn. */
  readonly round: readonly string[]
  readonly hasInput: boolean
  readonly turn: number
  readonly isTurnOpen: boolean
  /** True if an answer is not part of a checkpoint yet. */
  readonly owesTurn: boolean
  /** True if a turn with calls is committed and its results are not. */
  readonly owesResults: boolean
  /** True if a call was replayed and no results have been committed since. */
  readonly owesReplay: boolean
  readonly askedOutcome: AskedOutcome | null
  /** True if the run has left `waiting` and has not called a model since. */
  readonly isResumed: boolean
  /** True if results were published that no model has read. */
  readonly isUnheard: boolean
  readonly isFinishing: boolean
  /** True if the model has been asked for its final answer. */
  readonly isFinalAsked: boolean
  readonly hasFinalAnswer: boolean
  /** True if the account of the family left too little for an asking. */
  readonly isExhausted: boolean
  /** True if the running time, or the time for a final answer, is over. */
  readonly isTimeOver: boolean
  /** True if the running time has been over at least once. */
  readonly wasTimeOver: boolean
  /** True if the timer of the running time has not fired. */
  readonly isTimed: boolean
  /** The destination of phase runEnd: the end or a wait. */
  readonly leaving: 'end' | 'wait' | null
  /** The reason of a certain end of the run. */
  readonly verdict: 'cancelled' | 'error' | null
  /** The note that a cancel writes to the transcript. */
  readonly cancelNote: string | null
  readonly owesFailure: boolean
  readonly lastName: string | null
  readonly lastAnnouncement: string | null
  /** Phases asked since the last turn boundary. */
  readonly phases: readonly string[]
  readonly failures: number
  readonly modelIndex: number
  readonly continuations: number
  /** The number of credential refreshes in this model call. */
  readonly refreshes: number
  /** The number of compactions of the prompt in this model call. */
  readonly recoveries: number
  /** The number of times that refused media were left out in this model call. */
  readonly omissions: number
  /** The number of summaries requested in this model call. */
  readonly summaries: number
  /** The number of times that a memory was asked. */
  readonly recalls: number
  /** The number of paid summaries in this run. */
  readonly paidSummaries: number
  readonly streak: WatchedStreak | null
  /** True if a call was blocked and its permission has not been requested. */
  readonly owesRequest: boolean
  readonly said: SaidFacts
  readonly hooks: HookFacts
}

/** A queued message. It is late if the end of the run was announced before the message arrived. */
export interface Waiting {
  readonly kind: SaidKind
  readonly text: string
  readonly isLate: boolean
}

/** Facts about the run's messages, its input filters and its output contract. */
export interface SaidFacts {
  readonly counts: { readonly [kind in SaidKind]: number }
  /** Queued steering and follow-ups, in the order in which they were sent. */
  readonly waiting: readonly Waiting[]
  /** Inputs that the filters have accepted: `prompt`, or the text of a message. */
  readonly passed: readonly string[]
  /** True if a message has just been written to the transcript and its checkpoint is not committed. */
  readonly isTaking: boolean
  /** True if a message for the transcript only has not been written yet. */
  readonly owesExtension: boolean
  /** The state of the uncommitted answer; `spoiled` if the contract itself failed. */
  readonly answer: 'fits' | 'unfit' | 'stillUnfit' | 'spoiled'
  readonly owesCorrection: boolean
  /** True if the model has not received the reason of a refusal. */
  readonly owesRefusal: boolean
  /** True if the model has received a correction or a refusal and has not given another answer since. */
  readonly isCorrecting: boolean
  /** The number of corrections and refusals since an answer that was taken. */
  readonly corrections: number
  /** The number of answers that plugins refused in this run. */
  readonly refusals: number
}

/** Facts about the hooks of the loop: the calls that are due and the calls that were made. */
export interface HookFacts {
  readonly isLoopAsked: boolean
  readonly owesAfterTurn: boolean
  /** True if the current turn, or the last one, has its answer. */
  readonly isTurnAnswered: boolean
  readonly isErrorTold: boolean
  readonly isEndTold: boolean
  /** True if the model or the contract failed, so that the run ends in error through the end of a turn. */
  readonly hasTurnFailed: boolean
}

const nothingSaid: SaidFacts = {
  counts: { steer: 0, followUp: 0, background: 0, extension: 0 },
  waiting: [],
  passed: [],
  isTaking: false,
  owesExtension: false,
  answer: 'fits',
  owesCorrection: false,
  owesRefusal: false,
  isCorrecting: false,
  corrections: 0,
  refusals: 0,
}

const noHooks: HookFacts = {
  isLoopAsked: false,
  owesAfterTurn: false,
  isTurnAnswered: false,
  isErrorTold: false,
  isEndTold: false,
  hasTurnFailed: false,
}

/** The facts before the first move. */
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
  isExhausted: false,
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
  omissions: 0,
  summaries: 0,
  recalls: 0,
  paidSummaries: 0,
  streak: null,
  owesRequest: false,
  said: nothingSaid,
  hooks: noHooks,
}

/** Returns the facts about a call that the model has just asked for. */
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

/** Returns the facts with a patch applied to one call. */
export function patched(facts: Facts, callId: string, patch: Partial<CallFacts>): Facts {
  const call = facts.calls[callId]
  return call === undefined ? facts : { ...facts, calls: { ...facts.calls, [callId]: { ...call, ...patch } } }
}

/** Returns the known calls, in the order in which the model asked for them. */
export function callsOf({ calls }: Facts): readonly (readonly [string, CallFacts])[] {
  return Object.entries(calls)
}
