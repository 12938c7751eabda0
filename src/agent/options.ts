import type { QueueMode } from '../../machines/run/run.input-types.ts'
import type { Limit, LimitAction, LimitCode, PluginPhase, RunOptions, Watched } from '../../machines/run/run.types.ts'
import type { AgentParts } from '../effects/agent-parts.ts'
import { loopHooks } from '../effects/ask-loop-hook.ts'
import type { Clock } from '../ports/clock.ts'
import type { Hooks } from '../ports/hooks.ts'
import type { ContextBuilder } from '../ports/context-builder.ts'
import type { Ids } from '../ports/ids.ts'
import type { InputFilter } from '../ports/input-filter.ts'
import type { Inspect } from '../ports/inspect.ts'
import type { CacheStrategy, Model, PriceTable, ThinkingLevel } from '../ports/model.ts'
import type { OutputBuilder, OutputContract } from '../ports/output-contract.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { RetryOptions } from '../ports/retry-options.ts'
import type { Schema } from '../ports/schema.ts'
import type { Store } from '../ports/store.ts'
import type { Tool } from '../ports/tool.ts'
import type { Toolset } from '../ports/toolset.ts'
import { checkedFinite, checkedLimit, checkedMost } from './option-numbers.ts'
import { checkedCache, checkedThinking } from './request-options.ts'
import { UsageError } from '../domain/usage-error.ts'
import { ToolRegistry } from './tool-registry.ts'

/** How wide a round of tool calls runs. */
export type ExecutorOption = 'parallel' | 'sequential' | { readonly batch: number }

/** Limits of one run; a missing field has its default, `Infinity` turns a limit off. */
export interface LimitsOption {
  /** Default 50. */
  readonly maxTurns?: number
  /** Default 1,000,000. */
  readonly maxTokens?: number
  /** Milliseconds of running time, waiting and sleeping left out; what is in flight then is ended. Default 600,000. */
  readonly maxDurationMs?: number
  /** Model calls; off unless given. */
  readonly maxToolInteractions?: number
  /** US dollars; off unless given. What a model without a price answers counts 0, and `model.unpriced` says so. */
  readonly maxCost?: number
}

/** What to do at a limit, for all or per limit. Default `stop`, and `error` for tool interactions. */
export type OnLimit = LimitAction | { readonly [code in LimitCode]?: LimitAction }

/**
 * What an agent is made of: `name`, `model`, and what has a default. The rules of a run (`executor`,
 * `onPartialSuspension`, `decisions`, `limits`, `onLimit`, `repeatLimit`, `onRepeat`, `queueModes`, `onModelFailure`,
 * `retry.maxRetries`) are stored with it; all else is taken from current code each time it is driven.
 */
export interface AgentOptions<
  Tools extends readonly (Tool | Toolset)[] = readonly (Tool | Toolset)[],
  Output extends Schema = Schema,
> {
  readonly name: string
  readonly model: Model
  /** Asked in order once retries are spent. */
  readonly fallbackModels?: readonly Model[]
  /** Prices by `provider/model`; they win over those a model was made with or is known by. */
  readonly prices?: PriceTable
  /** Puts the transcript of a run into its output that leaves over a wire, as `history`; stored with the run. Default false. */
  readonly history?: boolean
  /** The system prompt. Default: empty. */
  readonly instructions?: string
  /** Tools, and sets of tools that come from elsewhere: opened on first use, closed by `agent.close()`. */
  readonly tools?: Tools
  readonly plugins?: readonly Plugin[]
  /** Functions around the loop, the turns and the tools. */
  readonly hooks?: Hooks
  /** Asked in order about prompts, steering and follow-ups before a model sees them. */
  readonly inputFilters?: readonly InputFilter[]
  /** Makes the system prompt, and messages where it gives any, of what a run is started with; once, at its start. */
  readonly contextBuilder?: ContextBuilder
  /**
   * What an answer that ends a run has to be. One that does not fit is told to the model, which answers again, within the
   * limits; one that fits is `result.output`.
   */
  readonly output?: Output
  /** Maps an answer to the value `output` checks. Default: its text as JSON, and as it is where it is none. */
  readonly outputBuilder?: OutputBuilder
  /** How many messages said to a running run a turn takes in: one at a time, or all that wait. Default `one` for both. */
  readonly queueModes?: { readonly steer?: QueueMode; readonly followUp?: QueueMode }
  /**
   * What becomes of a run whose model cannot be reached, retries and fallbacks spent: it ends in an error, or it waits,
   * suspended with reason `model_unavailable`, and asks again once somebody resumes it. Default `end`.
   */
  readonly onModelFailure?: 'end' | 'wait'
  /** Default: a memory store of the agent's own. */
  readonly store?: Store
  /** Default `parallel`. */
  readonly executor?: ExecutorOption
  /** What a round does in which some calls are suspended and some are not. Default `continue`. */
  readonly onPartialSuspension?: 'continue' | 'wait'
  /** When a decision is handed to its call. Default `immediate`. */
  readonly decisions?: 'immediate' | 'gate'
  /** Default on; `false` turns limits off. */
  readonly limits?: LimitsOption | false
  readonly onLimit?: OnLimit
  /** Calls one answer may hold; the rest are answered unrun and count for no repeat. Default 128; `Infinity` turns it off. */
  readonly maxCallsPerTurn?: number
  /** Equal calls with equal results in a row before a note is added. Default 3; 0 and `Infinity` turn it off. */
  readonly repeatLimit?: number
  /** `stop` refuses one more equal call and ends the run with `loop_detected`. Default `note`. */
  readonly onRepeat?: 'note' | 'stop'
  /** Milliseconds a tool may take, where it says nothing itself. Default, and `Infinity`: no limit. */
  readonly toolTimeoutMs?: number
  /** Milliseconds a hook, of a plugin or of `hooks`, may take; one that takes longer has failed. Default 60,000; `Infinity`: no limit. */
  readonly hookTimeoutMs?: number
  /** Output tokens of one answer. Default: the provider's. */
  readonly maxTokens?: number
  readonly temperature?: number
  /** How much the model thinks before it answers. Default: what the model was made with. */
  readonly thinking?: ThinkingLevel
  /** Which parts of the prompt the provider caches. Default: what the model was made with. */
  readonly cache?: CacheStrategy
  readonly retry?: Partial<RetryOptions>
  readonly clock?: Clock
  readonly ids?: Ids
  /** Milliseconds a lease lasts without renewal. Default 30,000. */
  readonly leaseMs?: number
  /**
   * `stored` writes what a commit leads to, numbered, with that commit, for `run.eventsAfter` to read; it needs a store that
   * keeps events and holds for the runs this agent starts, whoever drives them. Default: events are told and not stored.
   */
  readonly events?: 'stored'
  /** Sees every actor of every run of this agent; for the Stately inspector and for coverage. */
  readonly inspect?: Inspect
}

const pluginPhases: readonly PluginPhase[] = [
  'runStart',
  'stepStart',
  'beforeInference',
  'afterInference',
  'stepEnd',
  'beforeToolExecute',
  'afterToolExecute',
  'runEnd',
]

/** What is stored with a run of this agent. */
export function runOptionsOf(options: Partial<AgentOptions>): RunOptions {
  const { executor = 'parallel', plugins = [] } = options
  return {
    executor: executorOf(executor),
    onPartialSuspension: options.onPartialSuspension ?? 'continue',
    decisions: options.decisions ?? 'immediate',
    limits: limitsOf(options.limits ?? {}, options.onLimit ?? {}),
    repeatLimit: checkedLimit('repeatLimit', options.repeatLimit ?? 3) ?? 0,
    stopsOnRepeat: options.onRepeat === 'stop',
    maxRetries: retryOf(options).maxRetries,
    fallbacks: options.fallbackModels?.length ?? 0,
    queueModes: { steer: options.queueModes?.steer ?? 'one', followUp: options.queueModes?.followUp ?? 'one' },
    onModelFailure: options.onModelFailure ?? 'end',
    watched: watchedBy({ ...options, plugins }),
  }
}

/** What somebody has code for. */
export function watchedBy({
  plugins,
  hooks = {},
  inputFilters = [],
  contextBuilder,
}: Pick<AgentParts, 'plugins' | 'hooks' | 'inputFilters' | 'contextBuilder'>): readonly Watched[] {
  const isAsked = (phase: PluginPhase) => plugins.some((plugin) => plugin[phase] !== undefined)
  const watched = pluginPhases.filter((phase) => isAsked(phase) || isToolHook(hooks, phase))
  return [
    ...watched,
    ...loopHooks.filter((hook) => hooks[hook] !== undefined),
    ...(inputFilters.length === 0 ? [] : (['filterInput'] as const)),
    ...(contextBuilder === undefined ? [] : (['buildContext'] as const)),
  ]
}

/** The hooks around a tool stand at the phases of the plugins around it. */
function isToolHook({ beforeToolExecution, afterToolExecution }: Hooks, phase: PluginPhase): boolean {
  if (phase === 'beforeToolExecute') return beforeToolExecution !== undefined
  return phase === 'afterToolExecute' && afterToolExecution !== undefined
}

/** What the effect handlers work with; the tools may be opened and closed. */
export interface OwnParts extends AgentParts {
  readonly tools: ToolRegistry
}

/** What an agent of these options works with. */
export function partsOf(options: AgentOptions): OwnParts {
  const { name, model, fallbackModels = [], instructions = '', tools = [], plugins = [] } = options
  const toolTimeoutMs = checkedLimit('toolTimeoutMs', options.toolTimeoutMs)
  return {
    name,
    instructions,
    models: [model, ...fallbackModels],
    prices: new Map(Object.entries(options.prices ?? {})),
    tools: new ToolRegistry(tools),
    plugins,
    ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
    ...(options.inputFilters === undefined ? {} : { inputFilters: options.inputFilters }),
    ...(options.contextBuilder === undefined ? {} : { contextBuilder: options.contextBuilder }),
    ...(options.output === undefined ? {} : { output: contractOf(options.output, options.outputBuilder) }),
    maxCallsPerTurn: options.maxCallsPerTurn ?? 128,
    hookTimeoutMs: options.hookTimeoutMs ?? 60_000,
    ...(toolTimeoutMs === undefined ? {} : { toolTimeoutMs }),
    ...(options.maxTokens === undefined ? {} : { maxTokens: options.maxTokens }),
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.thinking === undefined ? {} : { thinking: checkedThinking(options.thinking) }),
    ...(options.cache === undefined ? {} : { cache: checkedCache(options.cache) }),
    retry: retryOf(options),
  }
}

function contractOf(schema: Schema, builder: OutputBuilder | undefined): OutputContract {
  return { schema, ...(builder === undefined ? {} : { builder }) }
}

function retryOf({ retry = {} }: Partial<AgentOptions>): RetryOptions {
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

function limitsOf(limits: LimitsOption | false, onLimit: OnLimit): readonly Limit[] {
  if (limits === false) return []
  const { maxTurns = 50, maxTokens = 1_000_000, maxDurationMs = 600_000, maxToolInteractions, maxCost } = limits
  const given: readonly [LimitCode, number | undefined][] = [
    ['max_turns', checkedLimit('limits.maxTurns', maxTurns)],
    ['max_tokens', checkedLimit('limits.maxTokens', maxTokens)],
    ['max_duration', checkedLimit('limits.maxDurationMs', maxDurationMs)],
    ['max_tool_interactions', checkedLimit('limits.maxToolInteractions', maxToolInteractions)],
    ['max_cost', checkedLimit('limits.maxCost', maxCost)],
  ]
  return given.flatMap(([code, max]) => (max === undefined ? [] : { code, max, action: actionAt(code, onLimit) }))
}

/** What to do at a limit. */
export function actionAt(code: LimitCode, onLimit: OnLimit): LimitAction {
  if (typeof onLimit === 'string') return onLimit
  return onLimit[code] ?? (code === 'max_tool_interactions' ? 'error' : 'stop')
}
