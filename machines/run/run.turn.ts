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

/** The context a run starts with; a document leaves out what equals it. */
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

/**
 * Returns true if somebody has code for a phase, a hook or what comes in; a state nobody has code for is never entered.
 */
export function isWatched({ context }: RunArgs, { phase }: { readonly phase: Phase }): boolean {
  return context.options.watched.includes(phase)
}

/**
 * Applies the requests of a phase's plugins; an end that they plan waits for the resume gate, and no model call
 * follows.
 */
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

/** Applies the requests of the plugins at `runStart`; an end that was planned before a wait is kept. */
export function takeRunStart(args: RunArgs, event: EndedWith<PhaseVerdict>): RunPatch {
  const { ending } = args.context
  const taken = takePhase(args, event)
  return ending.kind === 'none' ? taken : { ...taken, ending }
}

/** Enters the suspensions of the run itself beside its calls; no plugin is asked about them. */
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

/** Returns true if a plugin asks for the run's end. */
export function terminates(_: unknown, { verdict }: { readonly verdict: PhaseVerdict | undefined }): boolean {
  return verdict?.terminate !== undefined
}

/** One more call of the model begins; it reads every result there is. */
export function takeTurnStart({ context }: RunArgs): RunPatch {
  return { turn: context.turn + 1, isUnanswered: true, isUnheard: false, isResumed: false }
}

/** The input of the model call. */
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

/** Returns the question of the hook `afterTurn`. */
export function afterTurnInput({ context: { turn, isUnanswered } }: RunArgs): LoopAsk {
  return { phase: 'afterTurn', turn, ...(isUnanswered ? { isUnanswered } : {}) }
}

/** Returns true if the model gave no answer. */
export function hasFailed(_: unknown, { outcome }: { readonly outcome: ModelCallOutcome }): boolean {
  return readOutcome(outcome).status === 'failed'
}

/**
 * Returns true if a model that may answer another time, another model or a larger account holds the run until somebody has it asked
 * again.
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

/** The model will be asked once more; a limit that allows one more call is reached again before it. */
export function planRetryAfterHold(): RunPatch {
  return { ending: noEnding, isLastCall: false }
}

/** An asking without an answer that is kept takes no turn. */
export function giveTurnBack({ context: { turn } }: RunArgs): RunPatch {
  return { turn: turn - 1 }
}

/** Returns true if a plugin refused the answer. */
export function isRefused(_: unknown, { outcome }: { readonly outcome: ModelCallOutcome }): boolean {
  return readOutcome(outcome).status === 'refused'
}

/** Returns true if the model is asked again for an answer that was refused. A final answer is asked for once. */
export function mayAnswerAgain(args: RunArgs, params: { readonly outcome: ModelCallOutcome }): boolean {
  const { corrections, options, isLastCall } = args.context
  return isRefused(args, params) && !isLastCall && corrections < options.outputRetries
}

/** Takes of a refused answer what it cost. It counts as an interaction. */
export function takeRefusal({ context }: RunArgs, params: { readonly outcome: ModelCallOutcome }): RunPatch {
  const outcome = readOutcome(params.outcome)
  if (outcome.status !== 'refused') return {}
  const { corrections, refusals } = context
  return { ...paid(context, outcome), isCorrecting: true, corrections: corrections + 1, refusals: refusals + 1 }
}

/** The run ends without an answer; a limit that asked for the final one says how. */
export function planRefusedEnd({ context: { ending } }: RunArgs): RunPatch {
  return { ending: ending.kind === 'none' ? planned({ reason: 'stopped', code: refusedCode }) : ending }
}

const refusedCode: StopCode = 'answer_refused'

/** The answer and what it cost, or the error that ends the run. */
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

/** An end that a plugin asked for leaves the round out; one that is `stopped` lets it run first. */
export function skipsRound(args: RunArgs): boolean {
  return hasCalls(args) && planOf(args.context)?.reason === 'plugin_requested'
}

/**
 * Returns true if the answer would end the run and does not fit the output contract; a final answer is taken as it is.
 */
export function isMisfit({ context: { answer, ending } }: RunArgs): boolean {
  return ending.kind === 'none' && answer?.misfit?.kind === 'issues'
}

/** Returns true if the output contract itself failed, or if the model has had all its corrections. */
export function isContractBroken(args: RunArgs): boolean {
  const { answer, corrections, options } = args.context
  return answer?.misfit?.kind === 'broken' || (isMisfit(args) && corrections >= options.outputRetries)
}

/** The run ends in the error of its output contract; the answer stays in the log. */
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

/** Returns true if the turn that is over has decided how the run ends. */
export function hasOutcome({ context: { ending } }: RunArgs): boolean {
  return ending.kind === 'made'
}

/** An answer without calls ends the run, unless another outcome is planned already. */
export function planNaturalEnd({ context: { ending } }: RunArgs): RunPatch {
  return { answer: null, corrections: 0, ending: ending.kind === 'none' ? planned({ reason: 'natural_end' }) : ending }
}
