import type { QueueMode } from '../../../machines/run/run.input-types.ts'
import { type Phase, phaseNames, phaseRow } from '../../../machines/run/run.phases.ts'
import type { Limit, LimitAction, LimitCode, RunOptions } from '../../../machines/run/run.types.ts'
import type { AccountLimit } from '../domain/account.ts'
import { isAccountLimit } from '../domain/limit-hold.ts'
import { defined } from '../domain/text/json.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { AgentParts } from '../effects/agent-parts.ts'
import type { RetryOptions } from '../ports/retry-options.ts'
import { checkedCap, checkedFinite, checkedLimit, checkedMost } from '../domain/option-numbers.ts'

/** The width of a round of tool calls. */
export type ExecutorOption = 'parallel' | 'sequential' | { readonly batch: number }

/** The limits of a run. A missing field has its default; `Infinity` turns a limit off. */
export interface LimitsOption {
  /** The maximum number of turns. Default 50. */
  readonly maxTurns?: number
  /** The maximum tokens of the run and all its sub-agents together. Default 1,000,000. */
  readonly maxTokens?: number
  /** The maximum running time in milliseconds, without waits; work in flight is then ended. Default 600,000. */
  readonly maxDurationMs?: number
  /** The maximum number of model calls. Default: no limit. */
  readonly maxToolInteractions?: number
  /**
   * The maximum cost of the run and all its sub-agents together, in US dollars. Default: no limit. Answers of a model
   * without a price count 0, and `model.unpriced` reports it; an agent with sub-agents asks no such model.
   */
  readonly maxCost?: number
  /**
   * The maximum calls of one answer: a whole number from 1 to 256. Further calls do not run, have a text as their
   * result, and do not count as repeats. Default 128.
   */
  readonly maxCallsPerTurn?: number
  /** The number of equal calls with equal results in a row after which the model gets a note. Default 3; 0 is off. */
  readonly repeat?: number
  /** `stop` refuses the next equal call and ends the run with `loop_detected`. Default `note`. */
  readonly onRepeat?: 'note' | 'stop'
  /**
   * The maximum consecutive corrections of an answer that does not fit `output`. Then the run ends in the error
   * `output_failed`. Default 3.
   */
  readonly outputRetries?: number
  /** The default time limit of a tool in milliseconds. Default: no limit. */
  readonly toolTimeoutMs?: number
  /** The time limit in milliseconds of a plugin at one phase. A plugin that takes longer fails. Default 60,000. */
  readonly pluginTimeoutMs?: number
}

/**
 * The action at a limit, for all limits or per limit. Default `stop`, and `error` for tool interactions. `ask` is for tokens
 * and cost: the run waits until somebody adds to the account. At other limits it means the default.
 */
export type OnLimit =
  | LimitAction
  | { readonly [code in LimitCode]?: code extends AccountLimit ? LimitAction : Exclude<LimitAction, 'ask'> }

/** The options of an agent that are stored with its runs. */
export interface RuleOptions extends Partial<WatchingParts> {
  readonly executor?: ExecutorOption
  readonly onPartialSuspension?: RunOptions['onPartialSuspension']
  readonly decisions?: RunOptions['decisions']
  readonly limits?: LimitsOption | false
  readonly onLimit?: OnLimit
  readonly retry?: Partial<RetryOptions>
  readonly fallbackModels?: readonly unknown[]
  readonly queueModes?: { readonly steer?: QueueMode; readonly followUp?: QueueMode }
  readonly onModelFailure?: RunOptions['onModelFailure']
}

type WatchingParts = Pick<AgentParts, 'plugins'> & {
  readonly memory?: unknown
  readonly permissions?: { readonly manager?: { readonly cleanup?: unknown }; readonly policies?: unknown }
}

/** Returns the options to store with a run. */
export function runOptionsOf(options: RuleOptions): RunOptions {
  const { executor = 'parallel', plugins = [] } = options
  const { repeat = 3, onRepeat, outputRetries = 3 } = options.limits || {}
  return {
    executor: executorOf(executor),
    onPartialSuspension: options.onPartialSuspension ?? 'continue',
    decisions: options.decisions ?? 'immediate',
    limits: limitsOf(options.limits ?? {}, options.onLimit ?? {}),
    repeatLimit: checkedLimit('limits.repeat', repeat) ?? 0,
    stopsOnRepeat: onRepeat === 'stop',
    outputRetries,
    maxRetries: retryOf(options).maxRetries,
    fallbacks: options.fallbackModels?.length ?? 0,
    queueModes: { steer: options.queueModes?.steer ?? 'one', followUp: options.queueModes?.followUp ?? 'one' },
    onModelFailure: options.onModelFailure ?? 'end',
    watched: watchedBy({ ...options, plugins }),
  }
}

/** Returns the phases at which the charts stop because they have listeners. */
export function watchedBy({ plugins, memory, permissions }: WatchingParts): readonly Phase[] {
  if (plugins.length === 0 && memory === undefined && permissions === undefined) return []
  const isJudgedAtEnd = permissions?.manager?.cleanup !== undefined || permissions?.policies !== undefined
  const isAsked = (phase: Phase) =>
    plugins.some((plugin) => plugin[phase] !== undefined) ||
    // Rules, and who authorises tools, are those of current code: a call that was planned before a restart is judged again.
    (phase === 'gateCall' && permissions !== undefined) ||
    (phase === 'recall' && memory !== undefined) ||
    (phase === 'afterRun' && isJudgedAtEnd)
  const asked = phaseNames.filter(isAsked)
  return phaseNames.filter((phase) => {
    const { line, state } = phaseRow(phase)
    return (
      line !== null && state === undefined && asked.some((name) => name === phase || phaseRow(name).state === phase)
    )
  })
}

/** Returns the retry rules of model calls, with defaults. */
export function retryOf({ retry = {} }: Pick<RuleOptions, 'retry'>): RetryOptions {
  const { maxRetries = 3, initialDelayMs = 1000, factor = 2, maxDelayMs = 30_000, random = Math.random } = retry
  return {
    maxRetries: checkedMost('retry.maxRetries', maxRetries),
    initialDelayMs: checkedFinite('retry.initialDelayMs', initialDelayMs),
    factor: checkedFinite('retry.factor', factor),
    maxDelayMs: checkedMost('retry.maxDelayMs', maxDelayMs),
    random,
  }
}

function executorOf(executor: ExecutorOption): RunOptions['executor'] {
  if (executor === 'parallel') return { batchSize: null, stopsOnSuspension: false }
  if (executor === 'sequential') return { batchSize: 1, stopsOnSuspension: true }
  const { batch } = executor
  if (!Number.isInteger(batch) || batch < 1) {
    throw new UsageError('bad_batch_size', `Batch size ${batch} is refused. Expected a whole number of 1 or more.`)
  }
  return { batchSize: batch, stopsOnSuspension: true }
}

/** The most dollars that are counted in billionths without an error. */
const mostDollars = 9_007_199

function limitsOf(limits: LimitsOption | false, onLimit: OnLimit): readonly Limit[] {
  if (limits === false) return []
  const { maxTurns = 50, maxTokens = 1_000_000, maxDurationMs = 600_000, maxToolInteractions, maxCost } = limits
  const given: readonly [LimitCode, number | undefined][] = [
    ['max_turns', checkedLimit('limits.maxTurns', maxTurns)],
    ['max_tokens', checkedCap('limits.maxTokens', maxTokens, Number.MAX_SAFE_INTEGER)],
    ['max_duration', checkedLimit('limits.maxDurationMs', maxDurationMs)],
    ['max_tool_interactions', checkedLimit('limits.maxToolInteractions', maxToolInteractions)],
    ['max_cost', checkedCap('limits.maxCost', maxCost, mostDollars)],
  ]
  return given.flatMap(([code, max]) => (max === undefined ? [] : { code, max, action: actionAt(code, onLimit) }))
}

/** Returns the actions of a sub-agent at its limits. Only the root asks about the family's account. */
export function withoutAsking(onLimit: OnLimit): OnLimit {
  if (typeof onLimit === 'string') return onLimit === 'ask' ? 'stop' : onLimit
  const { max_tokens: tokens, max_cost: cost, ...others } = onLimit
  const kept = defined({ max_tokens: tokens, max_cost: cost })
  return { ...others, ...Object.fromEntries(Object.entries(kept).filter(([, action]) => action !== 'ask')) }
}

/** Returns the action at a limit. */
export function actionAt(code: LimitCode, onLimit: OnLimit): LimitAction {
  const given = typeof onLimit === 'string' ? onLimit : onLimit[code]
  // The account does not count turns, interactions and running time, so nobody could raise them.
  if (given !== undefined && (given !== 'ask' || isAccountLimit(code))) return given
  return code === 'max_tool_interactions' ? 'error' : 'stop'
}
