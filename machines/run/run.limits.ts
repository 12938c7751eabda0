import type { PlannedOutcome, Limit, LimitAction, RunArgs, RunContext, RunPatch } from './run.types.ts'

/** Whether the first limit reached, in the order given, asks for this action. */
export function reachesLimit({ context }: RunArgs, { action }: { readonly action: LimitAction }): boolean {
  return reachedLimit(context)?.action === action
}

/** The first limit reached, in the order given. */
export function reachedLimit(context: RunContext): Limit | undefined {
  return context.options.limits.find((limit) => consumed(context, limit) >= limit.max)
}

function consumed(context: RunContext, { code }: Limit): number {
  switch (code) {
    case 'max_turns':
    case 'max_tool_interactions':
      return context.turn
    case 'max_tokens':
      return context.usage.totalTokens
    case 'max_duration':
      return context.elapsedMs
    case 'max_cost':
      return context.cost
  }
}

const limitWords: { readonly [code in Limit['code']]: string } = {
  max_turns: 'maximum number of turns reached',
  max_tokens: 'maximum number of tokens reached',
  max_duration: 'maximum running time reached',
  max_tool_interactions: 'maximum number of tool interactions reached',
  max_cost: 'maximum cost reached',
}

/** The run ends with a note to the model's reader, and without an error. */
export function stopAtLimit({ context }: RunArgs): RunPatch {
  const code = codeOf(context)
  const plannedOutcome: PlannedOutcome = { reason: 'stopped', code, note: `[Agent stopped: ${limitWords[code]}]` }
  return { plannedOutcome }
}

/** One more call of the model, without tools, gives the final answer. */
export function finishAtLimit({ context }: RunArgs): RunPatch {
  return { isFinishing: true, plannedOutcome: { reason: 'stopped', code: codeOf(context) } }
}

/** The run ends in an error that names the limit. */
export function failAtLimit({ context }: RunArgs): RunPatch {
  const code = codeOf(context)
  const message = code === 'max_tool_interactions' ? 'Tool calls exhausted max quota' : limitWords[code]
  return { outcome: { reason: 'error', code, error: { code, message } } }
}

function codeOf(context: RunContext): Limit['code'] {
  return reachedLimit(context)?.code ?? 'max_turns'
}

/** Counts running time up to `at`, in Unix milliseconds; time spent waiting is left out by `stopClock`. */
export function tick({ elapsedMs, since }: RunContext, at: number): RunPatch {
  if (at <= since) return {}
  return { elapsedMs: elapsedMs + (since === 0 ? 0 : at - since), since: at }
}

/** A call may tell of a time before the wait it ends; only a clock that runs counts it. */
export function tickRunning(context: RunContext, at: number): RunPatch {
  return context.since === 0 ? {} : tick(context, at)
}

/** Time nobody drove the run does not count. */
export function startClock(_: unknown, { at }: { readonly at: number }): RunPatch {
  return { since: at }
}

/** Time spent waiting does not count. */
export function stopClock(): RunPatch {
  return { since: 0 }
}
