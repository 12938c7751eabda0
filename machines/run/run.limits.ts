import type { Ending, Limit, LimitAction, RunArgs, RunContext, RunPatch } from './run.types.ts'

/** Whether the first limit reached, in the order given, asks for this action. */
export function reachesLimit({ context }: RunArgs, { action }: { readonly action: LimitAction }): boolean {
  return reachedLimit(context)?.action === action
}

function reachedLimit(context: RunContext): Limit | undefined {
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
  const ending: Ending = { reason: 'stopped', code, note: `[Agent stopped: ${limitWords[code]}]` }
  return { ending }
}

/** One more call of the model, without tools, gives the final answer. */
export function finishAtLimit({ context }: RunArgs): RunPatch {
  return { isFinishing: true, ending: { reason: 'stopped', code: codeOf(context) } }
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
