import type { RunError } from '../../src/domain/outcome.ts'
import type { ModelCallOutcome } from '../model-call/model-call.types.ts'
import type { Ending, Limit, PhaseVerdict, RunContext, RunInput, RunOutput } from './run.types.ts'
import { findConflict, reachedLimit } from './run.facts.ts'

type Patch = Partial<RunContext>

export function initialContext({ options, messages }: RunInput): RunContext {
  return {
    options,
    turn: 0,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
    cost: 0,
    elapsedMs: 0,
    since: 0,
    calls: {},
    decisions: [],
    round: { batches: [], batch: 0, firsts: {} },
    answer: null,
    streak: null,
    ending: null,
    isUnheard: false,
    isResumed: false,
    input: messages,
    isFinishing: false,
    cancelNote: null,
    outcome: null,
  }
}

/** Counts running time; time spent waiting is left out by `stopClock`. */
function tick({ elapsedMs, since }: RunContext, at: number): Patch {
  if (at <= since) return {}
  return { elapsedMs: elapsedMs + (since === 0 ? 0 : at - since), since: at }
}

/** A call may tell of a time before the wait it ends; only a clock that runs counts it. */
export function tickRunning(context: RunContext, at: number): Patch {
  return context.since === 0 ? {} : tick(context, at)
}

/** Time nobody drove the run does not count. */
export function startClock(at: number): Patch {
  return { since: at }
}

export function stopClock(): Patch {
  return { since: 0 }
}

export function takeInput(): Patch {
  return { input: [] }
}

export function takeTurnStart(context: RunContext): Patch {
  return { turn: context.turn + 1, isUnheard: false, isResumed: false }
}

export function takeAnswer(context: RunContext, outcome: ModelCallOutcome): Patch {
  if (outcome.status === 'failed') return { outcome: { reason: 'error', error: outcome.error } }
  const { answer } = outcome
  return {
    ...tick({ ...context, ...tick(context, answer.startedAt ?? answer.at) }, answer.at),
    answer,
    cost: context.cost + answer.cost,
    usage: {
      input: context.usage.input + answer.usage.input,
      output: context.usage.output + answer.usage.output,
      cacheRead: context.usage.cacheRead + answer.usage.cacheRead,
      cacheWrite: context.usage.cacheWrite + answer.usage.cacheWrite,
      totalTokens: context.usage.totalTokens + answer.usage.totalTokens,
    },
  }
}

export function takePhase(context: RunContext, { terminate, at }: PhaseVerdict): Patch {
  const time = tick(context, at)
  if (terminate === undefined) return time
  const { code } = terminate
  return { ...time, ending: code === undefined ? { reason: 'plugin_requested' } : { reason: 'stopped', code } }
}

export function endNaturally({ ending }: RunContext): Patch {
  return { answer: null, ending: ending ?? { reason: 'natural_end' } }
}

export function forgetEnding(): Patch {
  return { ending: null }
}

const limitWords: { readonly [code in Limit['code']]: string } = {
  max_turns: 'maximum number of turns reached',
  max_tokens: 'maximum number of tokens reached',
  max_duration: 'maximum running time reached',
  max_tool_interactions: 'maximum number of tool interactions reached',
  max_cost: 'maximum cost reached',
}

export function stopAtLimit(context: RunContext): Patch {
  const code = reachedLimit(context)?.code ?? 'max_turns'
  const ending: Ending = { reason: 'stopped', code, note: `[Agent stopped: ${limitWords[code]}]` }
  return { ending }
}

export function finishAtLimit(context: RunContext): Patch {
  return { isFinishing: true, ending: { reason: 'stopped', code: reachedLimit(context)?.code ?? 'max_turns' } }
}

export function failAtLimit(context: RunContext): Patch {
  const code = reachedLimit(context)?.code ?? 'max_turns'
  const message = code === 'max_tool_interactions' ? 'Tool calls exhausted max quota' : limitWords[code]
  return { outcome: { reason: 'error', code, error: { code, message } } }
}

/** A wait forgets a natural end, since the model will hear the result; other endings are kept. */
export function suspendRun({ ending }: RunContext): Patch {
  return { outcome: { reason: 'suspended' }, ending: ending?.reason === 'natural_end' ? null : ending }
}

export function conclude({ ending }: RunContext): Patch {
  if (ending === null) return { outcome: { reason: 'natural_end' } }
  const { reason, code } = ending
  return { outcome: code === undefined ? { reason } : { reason, code } }
}

export function cancelRun(note: string | null): Patch {
  return { outcome: { reason: 'cancelled' }, cancelNote: note, ending: null }
}

export function failRun(error: RunError): Patch {
  return { outcome: { reason: 'error', error }, ending: null }
}

export function failOnConflict(context: RunContext): Patch {
  const { path, calls } = findConflict(context) ?? { path: '', calls: ['', ''] }
  const message = `Calls "${calls[0]}" and "${calls[1]}" both changed "${path}" of the state. Nothing was applied.`
  return failRun({ code: 'state_conflict', message })
}

export function resumeRun(): Patch {
  return { outcome: null, isResumed: true }
}

export function outputOf({ outcome }: RunContext): RunOutput {
  return { outcome: outcome ?? { reason: 'natural_end' } }
}
