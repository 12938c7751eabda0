import type { StopCode } from '../../src/core/domain/end-codes.ts'
import type { RunError } from '../../src/core/domain/outcome.ts'
import type {
  ModelCallInput,
  ModelCallOutcome,
  ModelCallReport,
  RefusedAnswer,
} from '../model-call/model-call.types.ts'
import type { EndedWith } from '../tool-call/tool-call.types.ts'
import { toolCallInput } from './run.calls.ts'
import { made, noEnding, outcomeOf, planOf, planned, withPlan } from './run.ending.ts'
import { entriesOf, newEntry, withEntries } from './run.entries.ts'
import { stopFinalAnswer, tick, tickRunning } from './run.limits.ts'
import type { Phase } from './run.phases.ts'
import { readOutcome } from './run.outcome.ts'
import type {
  HoldRunInput,
  PhaseVerdict,
  RunArgs,
  RunContext,
  RunInput,
  RunPatch,
  LoopAsk,
  SpawnCall,
} from './run.types.ts'

/** Returns the initial context of a run. A stored document omits what equals it. */
export function initialContext({ input: { options, messages } }: { readonly input: RunInput }): RunContext {
  return {
    options,
    turn: 0,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
    cost: 0,
    elapsedMs: 0,
    since: 0,
    allowedMs: options.limits.find(({ code }) => code === 'max_duration')?.max ?? null,
    hooksUntilMs: null,
    calls: {},
    decisions: [],
    round: { batches: [], batch: 0, firsts: {} },
    answer: null,
    isUnanswered: false,
    request: null,
    streak: null,
    ending: noEnding,
    isUnheard: false,
    isResumed: false,
    input: messages.length === 0 ? 'taken' : 'row',
    warnings: [],
    queue: [],
    isCorrecting: false,
    corrections: 0,
    refusals: 0,
    isLastCall: false,
    exhausted: null,
    requested: [],
    answered: [],
    reasons: {},
  }
}

/** Returns true if a phase has a listener. A state without one is never entered. */
export function isWatched({ context }: RunArgs, { phase }: { readonly phase: Phase }): boolean {
  return context.options.watched.includes(phase)
}

/** Applies the requests of a phase's plugins. A planned end waits for the resume gate, and no model call follows. */
export function takePhase({ context }: RunArgs, event: EndedWith<PhaseVerdict>): RunPatch {
  if (!('output' in event)) return {}
  const { terminate, request, at } = event.output
  const time = tick(context, at)
  if (terminate === undefined) return request === undefined ? time : { ...time, request }
  const { code } = terminate
  return {
    ...time,
    request: null,
    ending: withPlan(context.ending, code === undefined ? { reason: 'plugin_requested' } : { reason: 'stopped', code }),
  }
}

/** Applies the requests of the plugins at `runStart`. An end that was planned before a wait stays. */
export function takeRunStart(args: RunArgs, event: EndedWith<PhaseVerdict>): RunPatch {
  const { ending } = args.context
  const taken = takePhase(args, event)
  return ending.kind === 'none' ? taken : { ...taken, ending }
}

/** Enters the run's own suspensions beside its calls. No plugin is asked about them. */
export function takeHolds(
  { context, spawn }: RunArgs & { readonly spawn: SpawnCall },
  event: EndedWith<PhaseVerdict>,
): RunPatch {
  const holds = ('output' in event ? event.output.holds : undefined) ?? []
  for (const plan of holds) {
    const input = { ...toolCallInput(context, plan, false), isCallGateWatched: false, isReviewWatched: false }
    spawn('toolCall', { id: plan.callId, input })
  }
  return holds.length === 0
    ? {}
    : withEntries([...entriesOf(context), ...holds.map((plan) => newEntry(plan, 'active'))])
}

/** Returns true if a plugin ends the run. */
export function terminates(_: unknown, { verdict }: { readonly verdict: PhaseVerdict | undefined }): boolean {
  return verdict?.terminate !== undefined
}

/** Begins a turn. Its model call reads all results so far. */
export function takeTurnStart({ context }: RunArgs): RunPatch {
  return { turn: context.turn + 1, isUnanswered: true, isUnheard: false, isResumed: false }
}

/** Returns the input of the model call. */
export function modelCallInput({ context }: RunArgs): ModelCallInput {
  const { turn, isLastCall, isCorrecting, options, request } = context
  const { maxRetries, fallbacks } = options
  return {
    turn,
    isFinishing: isLastCall,
    maxRetries,
    fallbacks,
    ...(isCorrecting ? { isCorrecting } : {}),
    ...(request === null ? {} : { request }),
  }
}

/** Returns the input of the hook `afterTurn`. */
export function afterTurnInput({ context: { turn, isUnanswered } }: RunArgs): LoopAsk {
  return { phase: 'afterTurn', turn, ...(isUnanswered ? { isUnanswered } : {}) }
}

/** Returns true if the model gave no answer. */
export function hasFailed(_: unknown, { outcome }: { readonly outcome: ModelCallOutcome }): boolean {
  return readOutcome(outcome).status === 'failed'
}

/**
 * Returns true if a failed model call holds the run until somebody has the model asked again: the model is unavailable,
 * or the account of the family has to be raised.
 */
export function holdsOnFailure(
  { context: { options } }: RunArgs,
  { outcome }: { readonly outcome: ModelCallOutcome },
): boolean {
  const read = readOutcome(outcome)
  if (read.status !== 'failed') return false
  return read.isAsked === true || (options.onModelFailure === 'wait' && read.isUnavailable)
}

/** Returns true if the family's account has too little left for the request. */
export function isExhausted(_: unknown, { outcome }: { readonly outcome: ModelCallOutcome }): boolean {
  const read = readOutcome(outcome)
  return read.status === 'failed' && read.limit !== undefined && read.isAsked !== true
}

/** Treats the limit of the account as reached, and abandons a final answer. */
export function takeExhausted({ context }: RunArgs, params: { readonly outcome: ModelCallOutcome }): RunPatch {
  const outcome = readOutcome(params.outcome)
  if (outcome.status !== 'failed' || outcome.limit === undefined) return {}
  const given = { ...tick(context, outcome.at), request: null, exhausted: outcome.limit }
  return context.isLastCall ? { ...given, ...stopFinalAnswer({ context }) } : given
}

/** Returns the failure for which the run is held. */
export function holdRunInput({ context }: RunArgs): HoldRunInput {
  return { error: outcomeOf(context)?.error ?? { code: 'network_error', message: 'The model cannot be reached.' } }
}

/** Plans to ask the model again. A limit that allows one more call is checked again before that. */
export function planRetryAfterHold(): RunPatch {
  return { ending: noEnding, isLastCall: false }
}

/** Takes a turn back whose request left no answer. */
export function giveTurnBack({ context: { turn } }: RunArgs): RunPatch {
  return { turn: turn - 1 }
}

/** Returns true if a plugin refused the answer. */
export function isRefused(_: unknown, { outcome }: { readonly outcome: ModelCallOutcome }): boolean {
  return readOutcome(outcome).status === 'refused'
}

/** Returns true if the model is asked again after a refused answer. A final answer is requested only once. */
export function mayAnswerAgain(args: RunArgs, params: { readonly outcome: ModelCallOutcome }): boolean {
  const { corrections, options, isLastCall } = args.context
  return isRefused(args, params) && !isLastCall && corrections < options.outputRetries
}

/** Adds the cost of a refused answer, which counts as an interaction. */
export function takeRefusal({ context }: RunArgs, params: { readonly outcome: ModelCallOutcome }): RunPatch {
  const outcome = readOutcome(params.outcome)
  if (outcome.status !== 'refused') return {}
  const { corrections, refusals } = context
  return { ...paid(context, outcome), isCorrecting: true, corrections: corrections + 1, refusals: refusals + 1 }
}

/** Ends the run without an answer. If a limit requested a final answer, the limit determines the end. */
export function planRefusedEnd({ context: { ending } }: RunArgs): RunPatch {
  return { ending: ending.kind === 'none' ? planned({ reason: 'stopped', code: refusedCode }) : ending }
}

const refusedCode: StopCode = 'answer_refused'

/** Takes the answer with its cost, or the error that ends the run. */
export function takeAnswer({ context }: RunArgs, params: { readonly outcome: ModelCallOutcome }): RunPatch {
  const outcome = readOutcome(params.outcome)
  if (outcome.status === 'failed') return { request: null, ending: made({ reason: 'error', error: outcome.error }) }
  if (outcome.status !== 'answered') return {}
  const { answer } = outcome
  return { ...paid(context, answer), answer, isUnanswered: false, isCorrecting: false }
}

/** Adds the cost and the duration of an answer; the plugins' request for it is over. */
function paid(context: RunContext, { startedAt, at, cost, usage }: Omit<RefusedAnswer, 'status' | 'reason'>): RunPatch {
  const started = tick(context, startedAt ?? at)
  return {
    request: null,
    ...started,
    ...tick({ ...context, ...started }, at),
    cost: context.cost + cost,
    usage: addUsage(context.usage, usage),
  }
}

/** Adds the cost of a model call before its answer. */
export function takePaid({ context }: RunArgs, { usage, cost = 0, at }: Partial<ModelCallReport>): RunPatch {
  if (usage === undefined || at === undefined) return {}
  return { ...tickRunning(context, at), cost: context.cost + cost, usage: addUsage(context.usage, usage) }
}

function addUsage(total: RunContext['usage'], more: RunContext['usage']): RunContext['usage'] {
  return {
    input: total.input + more.input,
    output: total.output + more.output,
    cacheRead: total.cacheRead + more.cacheRead,
    cacheWrite: total.cacheWrite + more.cacheWrite,
    totalTokens: total.totalTokens + more.totalTokens,
  }
}

/** Returns true if the model asked for tools. */
export function hasCalls({ context: { answer } }: RunArgs): boolean {
  return answer !== null && answer.calls.length > 0
}

/**
 * Returns true if the round is skipped because a plugin requested the end. An end by `stopped` lets the round run
 * first.
 */
export function skipsRound(args: RunArgs): boolean {
  return hasCalls(args) && planOf(args.context)?.reason === 'plugin_requested'
}

/**
 * Returns true if the answer would end the run but does not fit the output contract. A final answer is always accepted.
 */
export function isMisfit({ context: { answer, ending } }: RunArgs): boolean {
  return ending.kind === 'none' && answer?.misfit?.kind === 'issues'
}

/** Returns true if the output contract itself failed, or if no correction is left. */
export function isContractBroken(args: RunArgs): boolean {
  const { answer, corrections, options } = args.context
  return answer?.misfit?.kind === 'broken' || (isMisfit(args) && corrections >= options.outputRetries)
}

/** Ends the run in the error of its output contract. The answer stays in the log. */
export function failOnContract({ context: { answer, corrections } }: RunArgs): RunPatch {
  const misfit = answer?.misfit
  const error = misfit?.kind === 'issues' ? stillUnfit(corrections, misfit.text) : misfit?.error
  return { answer: null, ending: made({ reason: 'error', ...(error === undefined ? {} : { error }) }) }
}

function stillUnfit(corrections: number, issues: string): RunError {
  const times = corrections === 1 ? 'one correction' : `${corrections} corrections`
  return { code: 'output_failed', message: `The answer does not fit the expected output after ${times}: ${issues}` }
}

/** Sends the problem to the model and asks it again. */
export function takeCorrection({ context: { corrections } }: RunArgs): RunPatch {
  return { answer: null, isCorrecting: true, corrections: corrections + 1 }
}

/** Returns true if the last turn has determined the end of the run. */
export function hasOutcome({ context: { ending } }: RunArgs): boolean {
  return ending.kind === 'made'
}

/** Plans a natural end after an answer without calls, unless another outcome is planned. */
export function planNaturalEnd({ context: { ending } }: RunArgs): RunPatch {
  return { answer: null, corrections: 0, ending: ending.kind === 'none' ? planned({ reason: 'natural_end' }) : ending }
}
