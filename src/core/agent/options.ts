import type { QueueMode } from '../../../machines/run/run.input-types.ts'
import type { OwnParts } from '../driving/agent-core.ts'
import type { PermissionParts } from '../effects/permissions/permission-parts.ts'
import type { Broker } from '../ports/broker.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Memory } from '../ports/memory.ts'
import type { Inspect } from '../ports/inspect.ts'
import type { CacheStrategy, Model, PriceTable, ThinkingLevel } from '../ports/model.ts'
import type { OutputBuilder, OutputContract } from '../ports/output-contract.ts'
import { rulesOf } from '../ports/permission-shape.ts'
import type { PermissionOptions } from '../ports/permissions.ts'
import type { Plugin } from '../ports/plugin.ts'
import type { ContextBuilderInput } from '../ports/run-instructions.ts'
import type { CompactionOptions } from '../ports/prompt-strategy.ts'
import type { RetryOptions } from '../ports/retry-options.ts'
import type { Schema } from '../ports/schema.ts'
import type { ServiceContract } from '../ports/service-contract.ts'
import type { Interpreter } from '../step/steps-of.ts'
import type { Store } from '../ports/store.ts'
import type { Tool } from '../ports/tool.ts'
import type { Tracer } from '../ports/tracer.ts'
import type { Toolset } from '../ports/toolset.ts'
import { defined, isRecord } from '../domain/text/json.ts'
import { checkedLimit } from '../domain/option-numbers.ts'
import { checkedCompaction } from './compaction-options.ts'
import { retryOf, type ExecutorOption, type LimitsOption, type OnLimit } from '../driving/run-options.ts'
import { serviceTool } from '../effects/tools/service-tool.ts'
import { ToolRegistry } from './tool-registry.ts'
import { badOption } from '../domain/text/option-shape.ts'

/** Settings of each request to a model. */
export interface RequestSettings {
  /** The maximum output tokens of one answer. Default: the provider's. */
  readonly maxTokens?: number
  /** The sampling temperature. Default: the provider's. */
  readonly temperature?: number
  /** The model's thinking level. Default: the level that the model was created with. */
  readonly thinking?: ThinkingLevel
  /** The parts of the prompt that the provider caches. Default: the strategy that the model was created with. */
  readonly cache?: CacheStrategy
  /** Sends a picture to one model call only; later calls receive a text that names its type. Default false. */
  readonly maskSeenMedia?: boolean
}

/** A schema, with the function that derives the checked value from an answer. */
export interface BuiltOutput<Output extends Schema = Schema> {
  /** The schema of the value. */
  readonly schema: Output
  /** Maps an answer to the value. Default: the answer's text parsed as JSON, or the text itself if it is not JSON. */
  readonly build: OutputBuilder
}

/**
 * The options of an agent: `name`, `model`, and options with defaults. The rules of a run (`executor`,
 * `onPartialSuspension`, `decisions`, `limits`, `onLimit`, `queueModes`, `onModelFailure`, `retry.maxRetries`) are
 * stored with it. All other options come from the current code each time the run is driven.
 */
export interface AgentOptions<
  Tools extends readonly (Tool | Toolset)[] = readonly (Tool | Toolset)[],
  Output extends Schema = Schema,
> {
  /** The name of the agent. It is stored with each run, and a run is driven by the agent of its name. */
  readonly name: string
  /** The id of the agent in sessions and events, independent of its name. Default: the name. */
  readonly id?: string
  /**
   * The id of the agent's configuration, which is part of the ids of a session's runs: 1 to 40 of the characters A-Z,
   * a-z, 0-9, `_` and `-`. Default: derived from provider, model and `thinking`.
   */
  readonly configId?: string
  /** A readable name of that configuration, reported in `run.started`. Default: none. */
  readonly configName?: string
  /**
   * The version of the agent's code, which is stored with each run and counts for its sub-agents too: 1 to 100 characters. A
   * worker drives the runs of its version and those without one, which are of its version from then on. Default: none; a
   * worker drives runs without one. `others` says what workers of this version do with runs of other versions: `pin` leaves
   * each run to workers of its version; `move` takes a run over while none of its calls is open, and from then on it is a run
   * of this version. Default `pin`.
   */
  readonly version?: string | { readonly name: string; readonly others?: 'pin' | 'move' }
  /** The model to ask, such as `anthropic('claude-sonnet-5-5')`. */
  readonly model: Model
  /** Models to ask in order after the retries are exhausted. */
  readonly fallbackModels?: readonly Model[]
  /** Prices by `provider/model`. They override the model's own prices. */
  readonly prices?: PriceTable
  /**
   * Adds the run's transcript, as `history`, to each output that leaves over a wire; stored with the run. Default
   * false.
   */
  readonly history?: boolean
  /**
   * The system prompt, or a function that returns it. The function is called once at the start of a run, as a plugin's
   * `buildContext` is, before the plugins; its result is stored with the run. Default: empty.
   */
  readonly instructions?: string | ((input: ContextBuilderInput) => string | Promise<string>)
  /** Tools, and toolsets from elsewhere, which are opened on first use and closed by `agent.close()`. */
  readonly tools?: Tools
  /** Services by contract, listed among the tools. A call leaves as an event, and the run waits for the answer. */
  readonly services?: readonly ServiceContract[]
  /** Plugins, which are asked at the phases of each run, in this order. Their names must be unique. */
  readonly plugins?: readonly Plugin[]
  /** Rules about callers, tools and arguments. Default: each tool's `needs`. */
  readonly permissions?: PermissionOptions
  /**
   * A memory of users across runs. It is asked once before the loop of each run. It receives the tools' values, the
   * final answer and a reached limit. A run without `userId` and session has no memory.
   */
  readonly memory?: Memory
  /**
   * The options that keep a prompt within its budget. Content removed from a prompt stays in the transcript. With
   * `false`, a prompt is compacted only after the model has rejected it as too long. Default: on, with a budget of
   * 100,000 tokens.
   */
  readonly compaction?: CompactionOptions | false
  /**
   * The schema of an answer that ends a run; add `build` if the checked value is not the answer's text. If an answer
   * does not fit, the model receives a correction and answers again, within the limits. An answer that fits is
   * `result.output`.
   */
  readonly output?: Output | BuiltOutput<Output>
  /** The number of queued messages that a turn accepts: one at a time, or all. Default `one` for both kinds. */
  readonly queueModes?: { readonly steer?: QueueMode; readonly followUp?: QueueMode }
  /**
   * The handling of a run whose model gives no answer after all retries and fallbacks. `end`: the run ends in an error.
   * `wait`: if a later time, another key or another model may help, the run waits, suspended with reason
   * `model_unavailable`, and asks again after an approval. A failed model call does not count as a turn or an
   * interaction. Default `end`.
   */
  readonly onModelFailure?: 'end' | 'wait'
  /**
   * The broker of service events, until the agent is closed. It publishes the outgoing events of the store's runs; its
   * answers are received and their runs are resumed. Default: no broker; call `receive` for answers and send with
   * `createPublisher`.
   */
  readonly broker?: Broker
  /** The store of the runs. Default: a new memory store. */
  readonly store?: Store
  /** The order in which the calls of a round run. Default `parallel`. */
  readonly executor?: ExecutorOption
  /** The behavior of a round in which some calls are suspended and others are not. Default `continue`. */
  readonly onPartialSuspension?: 'continue' | 'wait'
  /** The time at which a call receives its decision. Default `immediate`. */
  readonly decisions?: 'immediate' | 'gate'
  /** The limits of a run. `false` disables the limits that end a run: turns, tokens, time, interactions and cost. */
  readonly limits?: LimitsOption | false
  readonly onLimit?: OnLimit
  /** Settings of each request to a model. */
  readonly request?: RequestSettings
  readonly retry?: Partial<RetryOptions>
  /**
   * The interpreter of the charts: `tables`, which are compiled from the charts, or `xstate`, XState's own actors. Both take
   * the same steps; XState's take more than twice the time. Default `tables`.
   */
  readonly interpreter?: Interpreter
  /** The time and the timers. Default: the system's. */
  readonly clock?: Clock
  /** Makes ids of runs, decisions and messages. Default: random ones. */
  readonly ids?: Ids
  /** The duration of a lease without renewal, in milliseconds. Default 30,000. */
  readonly leaseMs?: number
  /** Receives the inspection events of every actor of this agent's runs; for the Stately inspector and for coverage. */
  readonly inspect?: Inspect
  /** Traces runs, model calls and tools, such as `openTelemetry()` of `statewright/telemetry`. */
  readonly tracer?: Tracer
}

/** Returns an agent's parts for these options. */
export function partsOf(options: AgentOptions): OwnParts {
  const { name, model, fallbackModels = [], tools = [], services = [] } = options
  const { instructions, plugins } = instructed(options)
  const { maxCallsPerTurn = 128, pluginTimeoutMs = 60_000, ...limits } = options.limits || {}
  const { maxTokens, temperature, thinking, cache, maskSeenMedia } = options.request ?? {}
  const toolTimeoutMs = checkedLimit('limits.toolTimeoutMs', limits.toolTimeoutMs)
  return {
    name,
    instructions,
    models: [model, ...fallbackModels],
    prices: new Map(Object.entries(options.prices ?? {})),
    tools: new ToolRegistry(services.length === 0 ? tools : [...tools, ...services.map(serviceTool)]),
    plugins,
    ...(options.output === undefined ? {} : { output: contractOf(options.output) }),
    compaction: checkedCompaction(options.compaction ?? {}, instructions),
    maxCallsPerTurn,
    pluginTimeoutMs,
    ...defined({ maskSeenMedia, toolTimeoutMs, maxTokens, temperature }),
    ...(thinking === undefined ? {} : { thinking: checkedThinking(thinking) }),
    ...(cache === undefined ? {} : { cache: checkedCache(cache) }),
    retry: retryOf(options),
    ...(options.permissions === undefined ? {} : { permissions: permissionsOf(options.permissions) }),
  }
}

/** Turns a function in `instructions` into the first plugin that builds the context. */
function instructed({ instructions = '', plugins = [] }: AgentOptions): Pick<OwnParts, 'instructions' | 'plugins'> {
  if (typeof instructions === 'string') return { instructions, plugins }
  const first: Plugin = {
    name: 'option instructions',
    buildContext: async (input) => ({ system: await instructions(input) }),
  }
  return { instructions: '', plugins: [first, ...plugins] }
}

function permissionsOf({ rules, ...others }: PermissionOptions): PermissionParts {
  return { ...others, rules: rulesOf(rules) }
}

function contractOf(output: Schema | BuiltOutput): OutputContract {
  return isBuilt(output) ? { schema: output.schema, builder: output.build } : { schema: output }
}

/** Returns true if an output has `build` beside its schema; a JSON schema cannot hold a function. */
export function isBuilt(output: unknown): output is BuiltOutput {
  return isRecord(output) && typeof output['build'] === 'function'
}

const levels: readonly ThinkingLevel[] = ['off', 'minimal', 'low', 'medium', 'high']
const marks: readonly string[] = ['system', 'tools', 'messages']

/** Returns a thinking level; throws a `UsageError` for any other value. */
export function checkedThinking(thinking: ThinkingLevel): ThinkingLevel {
  if (levels.includes(thinking)) return thinking
  throw badOption({ field: 'request.thinking' }, thinking, 'Expected off, minimal, low, medium or high.')
}

/** Returns a copy of a cache strategy; throws a `UsageError` for any other value. */
export function checkedCache(cache: CacheStrategy): CacheStrategy {
  if (cache === 'auto' || cache === 'disabled') return cache
  const isMark = ([key, value]: [string, unknown]) => marks.includes(key) && typeof value === 'boolean'
  if (isRecord(cache) && Object.entries(cache).every(isMark)) return { ...cache }
  throw badOption(
    { field: 'request.cache' },
    cache,
    'Expected auto, disabled, or true and false for any of system, tools and messages.',
  )
}
