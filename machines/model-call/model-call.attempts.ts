import type {
  Attempted,
  CallModelInput,
  Compacted,
  CompactPromptInput,
  ModelCallContext,
  ModelCallInput,
  ModelCallOutcome,
  ModelCallReport,
  Refreshed,
  RefreshCredentialsInput,
  SummariseInput,
  Summarised,
} from './model-call.types.ts'

interface Args {
  readonly context: ModelCallContext
}

/** Params that carry how an attempt ended; a tool that only walks the chart sends none. */
type Ended = {
  readonly attempted: Attempted | undefined
}

/** A truncated answer is continued at most this often. */
const maxContinuations = 3

/** New credentials are asked for at most this often. */
const maxRefreshes = 1

/** A prompt that is refused as too long is made smaller at most this often. */
const maxRecoveries = 1

/** A summary is asked for at most this often. */
const maxSummaries = 1

/** Returns the initial context of a model call. */
export function initialContext({ input }: { readonly input: ModelCallInput }): ModelCallContext {
  return {
    ...input,
    failures: 0,
    modelIndex: 0,
    continuations: 0,
    refreshes: 0,
    recoveries: 0,
    summaries: 0,
    refusal: null,
    retryAt: 0,
  }
}

/** Returns the input of one attempt. */
export function attemptInput({ context }: Args): CallModelInput {
  const { turn, isFinishing, isCorrecting, modelIndex, failures, continuations, summaries, refusal, request } = context
  return {
    turn,
    isFinishing,
    ...(isCorrecting === true ? { isCorrecting } : {}),
    modelIndex,
    failures,
    continuations,
    ...(summaries > 0 ? { isSummarised: true } : {}),
    ...(refusal === null ? {} : { refusal }),
    ...(request === undefined ? {} : { request }),
  }
}

/** Returns the input of a refresh of credentials: the model that they belong to. */
export function refreshInput({ context: { modelIndex, request } }: Args): RefreshCredentialsInput {
  return { modelIndex, ...(request?.model === undefined ? {} : { model: request.model }) }
}

/** Returns the input of a compaction: the model call whose prompt is too large. */
export function compactInput({ context }: Args): CompactPromptInput {
  return { ...promptIn(context), ...(context.summaries > 0 ? { isSummarised: true } : {}) }
}

/** Returns the input of a summary: the model call whose prompt it shortens. */
export function summariseInput({ context }: Args): SummariseInput {
  return { ...promptIn(context), ...(context.recoveries > 0 ? { isRefused: true } : {}) }
}

function promptIn({ turn, modelIndex, refusal, request }: ModelCallContext) {
  return {
    turn,
    modelIndex,
    ...(refusal === null ? {} : { refusal }),
    ...(request === undefined ? {} : { request }),
  }
}

/** Returns true if the attempt produced a complete answer. */
export function hasAnswered(_: unknown, { attempted }: Ended): boolean {
  return attempted?.kind === 'answered'
}

/** Returns true if a plugin refused the complete answer. */
export function wasRefused(_: unknown, { attempted }: Ended): boolean {
  return attempted?.kind === 'refused'
}

/** Returns true if the answer was truncated and may be continued. */
export function mayContinue(_: unknown, { attempted }: Ended): boolean {
  return attempted?.kind === 'truncated' && attempted.parts <= maxContinuations
}

/** Returns true if the same model may be asked again. */
export function mayRetry({ context }: Args, { attempted }: Ended): boolean {
  return attempted?.kind === 'failed' && attempted.retryAt !== null && context.failures < context.maxRetries
}

/**
 * Returns true if another model is to be asked because this one is unavailable. After an API or auth error, another
 * model would fail in the same way.
 */
export function maySwitch({ context }: Args, { attempted }: Ended): boolean {
  return attempted?.kind === 'failed' && attempted.retryAt !== null && context.modelIndex < context.fallbacks
}

/** Returns true if the model may be asked once more, with new credentials (PRV-05). */
export function mayRefresh({ context }: Args, { attempted }: Ended): boolean {
  return attempted?.kind === 'failed' && attempted.isRefreshable === true && context.refreshes < maxRefreshes
}

/** Returns true if the model may be asked once more, with a smaller prompt (PRV-06). */
export function mayCompact({ context }: Args, { attempted }: Ended): boolean {
  return attempted?.kind === 'failed' && attempted.isOverflow === true && context.recoveries < maxRecoveries
}

/** Returns true if the model may be asked once more, without the pictures and files that it has not answered before. */
export function mayLeaveOut({ context }: Args, { attempted }: Ended): boolean {
  return attempted?.kind === 'failed' && attempted.refusal !== undefined && context.refusal === null
}

/** Returns true if a summary must shorten the prompt before the model is asked (CTX-02). */
export function hasOutgrown({ context }: Args, { attempted }: Ended): boolean {
  return attempted?.kind === 'outgrown' && context.summaries < maxSummaries
}

/** Returns true if a summary must shorten a rejected prompt. */
export function isSummaryDue({ context }: Args, { compacted }: { readonly compacted: Compacted | undefined }): boolean {
  return compacted?.kind === 'outgrown' && context.summaries < maxSummaries
}

/** Returns true if there are new credentials. */
export function hasRefreshed(_: unknown, { refreshed }: { readonly refreshed: Refreshed | undefined }): boolean {
  return refreshed?.kind === 'refreshed'
}

/** Counts the failure and sets the time of the next attempt. */
export function planRetry({ context }: Args, { attempted }: Ended): Partial<ModelCallContext> {
  const retryAt = attempted?.kind === 'failed' ? (attempted.retryAt ?? 0) : 0
  return { failures: context.failures + 1, retryAt }
}

/** Adds a part of a truncated answer. */
export function takePart(_: unknown, { attempted }: Ended): Partial<ModelCallContext> {
  return attempted?.kind === 'truncated' ? { continuations: attempted.parts } : {}
}

/** Counts a refresh of credentials. */
export function countRefresh({ context }: Args): Partial<ModelCallContext> {
  return { refreshes: context.refreshes + 1 }
}

/** Counts a reduction of the prompt. */
export function countRecovery({ context }: Args): Partial<ModelCallContext> {
  return { recoveries: context.recoveries + 1 }
}

/** Stores the reason for which the pictures and files are left out. */
export function noteRefusal(_: unknown, { attempted }: Ended): Partial<ModelCallContext> {
  return attempted?.kind === 'failed' && attempted.refusal !== undefined ? { refusal: attempted.refusal } : {}
}

/** Counts a request for a summary. */
export function countSummary({ context }: Args): Partial<ModelCallContext> {
  return { summaries: context.summaries + 1 }
}

/** Reports the cost of a summary to the run. It counts even if the model call fails. */
export function paidReport(_: unknown, { paid }: { readonly paid: Summarised | undefined }): ModelCallReport {
  const { usage, cost, at } = paid ?? { usage: nothingUsed, cost: 0, at: 0 }
  return { type: 'modelCall.paid', usage, cost, at }
}

const nothingUsed = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }

/** Switches to the next fallback model, with fresh counters. */
export function nextModel({ context }: Args): Partial<ModelCallContext> {
  return { modelIndex: context.modelIndex + 1, failures: 0, continuations: 0 }
}

interface LastEffect {
  readonly event: { readonly output: Attempted | Refreshed | undefined }
}

const notAnswered: ModelCallOutcome = {
  status: 'failed',
  error: { code: 'engine_error', message: 'The model call has ended without an answer.' },
  isUnavailable: false,
  at: 0,
}

/** Returns the outcome of a call that ended in its `answered` state. */
export function answered({ event: { output } }: LastEffect): ModelCallOutcome {
  if (output?.kind === 'answered') return { status: 'answered', answer: output.answer }
  return notAnswered
}

/** Returns the outcome of a call that ended in its `declined` state. */
export function refused({ event: { output } }: LastEffect): ModelCallOutcome {
  if (output?.kind !== 'refused') return notAnswered
  const { kind: _, ...answer } = output
  return { status: 'refused', ...answer }
}

/** Returns the outcome of a call that ended in its `failed` state. */
export function failed({ event: { output } }: LastEffect): ModelCallOutcome {
  if (output?.kind !== 'failed') return notAnswered
  const isUnavailable = !('retryAt' in output) || output.retryAt !== null || output.isMendable === true
  const { error, limit, isAsked, at } = { limit: undefined, isAsked: undefined, ...output }
  const limited = limit === undefined ? {} : { limit, ...(isAsked === true ? { isAsked } : {}) }
  return { status: 'failed', error, isUnavailable, ...limited, at }
}

/** Returns the outcome of the final state. */
export function outcomeOf({ event }: { readonly event: { readonly output: unknown } }): ModelCallOutcome {
  return event.output as ModelCallOutcome
}
