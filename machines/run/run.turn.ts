import type { ModelCallInput, ModelCallOutcome } from '../model-call/model-call.types.ts'
import { newEntry, toolCallInput } from './run.calls.ts'
import { tick } from './run.limits.ts'
import type { CallEntry, Phase, PhaseVerdict, RunArgs, RunContext, RunInput, RunPatch, SpawnCall } from './run.types.ts'

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
    calls: {},
    decisions: [],
    round: { batches: [], batch: 0, firsts: {} },
    answer: null,
    streak: null,
    plannedOutcome: null,
    isUnheard: false,
    isResumed: false,
    input: messages,
    isFinishing: false,
    cancelNote: null,
    outcome: null,
  }
}

/** Whether a plugin listens to a phase; one nobody listens to is never entered. */
export function isWatched({ context }: RunArgs, { phase }: { readonly phase: Phase }): boolean {
  return context.options.watched.includes(phase)
}

/** The user's messages are in the log. */
export function takeInput(): RunPatch {
  return { input: [] }
}

/** What the plugins of a phase ask for; an end they plan waits for the resume gate. */
export function takePhase({ context }: RunArgs, { verdict }: { readonly verdict: PhaseVerdict }): RunPatch {
  const { terminate, at } = verdict
  const time = tick(context, at)
  if (terminate === undefined) return time
  const { code } = terminate
  return { ...time, plannedOutcome: code === undefined ? { reason: 'plugin_requested' } : { reason: 'stopped', code } }
}

/** Enters the suspensions of the run itself beside its calls; no plugin is asked about them. */
export function takeHolds(
  { context, spawn }: RunArgs & { readonly spawn: SpawnCall },
  { verdict: { holds = [] } }: { readonly verdict: PhaseVerdict },
): RunPatch {
  for (const plan of holds) {
    const input = { ...toolCallInput(context, plan, false), isCallGateWatched: false, isReviewWatched: false }
    spawn('toolCall', { id: plan.callId, input })
  }
  const entries = holds.map((plan): [string, CallEntry] => [plan.callId, newEntry(plan, 'active')])
  return { calls: { ...context.calls, ...Object.fromEntries(entries) } }
}

/** Whether a plugin asks for the run's end. */
export function terminates(_: unknown, { verdict }: { readonly verdict: PhaseVerdict }): boolean {
  return verdict.terminate !== undefined
}

/** One more call of the model begins; it reads every result there is. */
export function takeTurnStart({ context }: RunArgs): RunPatch {
  return { turn: context.turn + 1, isUnheard: false, isResumed: false }
}

/** The input of the model call. */
export function modelCallInput({ context: { turn, isFinishing, options } }: RunArgs): ModelCallInput {
  return { turn, isFinishing, maxRetries: options.maxRetries, fallbacks: options.fallbacks }
}

/** Whether the model gave no answer. */
export function hasFailed(_: unknown, { outcome }: { readonly outcome: ModelCallOutcome }): boolean {
  return outcome.status === 'failed'
}

/** The answer and what it cost, or the error that ends the run. */
export function takeAnswer({ context }: RunArgs, { outcome }: { readonly outcome: ModelCallOutcome }): RunPatch {
  if (outcome.status === 'failed') return { outcome: { reason: 'error', error: outcome.error } }
  const { answer } = outcome
  const started = tick(context, answer.startedAt ?? answer.at)
  return {
    ...started,
    ...tick({ ...context, ...started }, answer.at),
    answer,
    cost: context.cost + answer.cost,
    usage: addUsage(context.usage, answer.usage),
  }
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

/** Whether the model asked for tools. */
export function hasCalls({ context: { answer } }: RunArgs): boolean {
  return answer !== null && answer.calls.length > 0
}

/** An end that a plugin asked for leaves the round out; one that is `stopped` lets it run first. */
export function skipsRound(args: RunArgs): boolean {
  return hasCalls(args) && args.context.plannedOutcome?.reason === 'plugin_requested'
}

/** An answer without calls ends the run, unless another outcome is planned already. */
export function planNaturalEnd({ context: { plannedOutcome } }: RunArgs): RunPatch {
  return { answer: null, plannedOutcome: plannedOutcome ?? { reason: 'natural_end' } }
}
