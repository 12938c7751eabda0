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
import type { Store } from '../ports/store.ts'
import type { Tool } from '../ports/tool.ts'
import type { Tracer } from '../ports/tracer.ts'
import type { Toolset } from '../ports/toolset.ts'
import { isRecord } from '../domain/text/json.ts'
import { checkedLimit } from '../domain/option-numbers.ts'
import { checkedCompaction } from './compaction-options.ts'
import { checkedCache, checkedThinking } from './request-options.ts'
import { type ExecutorOption, type LimitsOption, type OnLimit, retryOf } from '../driving/run-options.ts'
import { serviceTool } from '../effects/tools/service-tool.ts'
import { ToolRegistry } from './tool-registry.ts'

/** Settings of each request to a model. */
export interface RequestSettings {
  /** Output tokens of one answer. Default: the provider's. */
  readonly maxTokens?: number
  /** Default: the provider's. */
  readonly temperature?: number
  /** The effort of the model before it answers. Default: the level that the model was made with. */
  readonly thinking?: ThinkingLevel
  /** Which parts of the prompt the provider caches. Default: what the model was made with. */
  readonly cache?: CacheStrategy
}

/** A schema, and what makes the value that it checks of an answer. */
export interface BuiltOutput<Output extends Schema = Schema> {
  readonly schema: Output
  /** Maps an answer to the value. Default: the answer's text as JSON; a text that is no JSON is the value itself. */
  readonly build: OutputBuilder
}

/**
 * What an agent is made of: `name`, `model`, and options that have a default. The rules of a run (`executor`,
 * `onPartialSuspension`, `decisions`, `limits`, `onLimit`, `queueModes`, `onModelFailure`, `retry.maxRetries`) are stored with it. All else comes from current code each time the run is
 * driven.
 */
export interface AgentOptions<
  Tools extends readonly (Tool | Toolset)[] = readonly (Tool | Toolset)[],
  Output extends Schema = Schema,
> {
  readonly name: string
  /** What the agent is known by in sessions and events, whatever its name. Default: the name. */
  readonly id?: string
  /**
   * What stands for the agent's configuration in the ids of a session's runs: 1 to 40 of the characters A-Z, a-z, 0-9, `_`
   * and `-`. Default: made of provider, model and `thinking`.
   */
  readonly configId?: string
  /** A name of that configuration for people, told in `run.started`. Default: none. */
  readonly configName?: string
  readonly model: Model
  /** These models are asked in order once the retries are spent. */
  readonly fallbackModels?: readonly Model[]
  /** Prices by `provider/model`. They win over the prices of the model itself, given or known. */
  readonly prices?: PriceTable
  /**
   * Puts the transcript of a run, as `history`, into each output that leaves over a wire; stored with the run. Default
   * false.
   */
  readonly history?: boolean
  /**
   * The system prompt, or a function that gives it: asked once at the start of a run, as a plugin's `buildContext` is, before
   * the plugins, and what it gives is stored with the run. Default: empty.
   */
  readonly instructions?: string | ((input: ContextBuilderInput) => string | Promise<string>)
  /** Tools, and sets of tools that come from elsewhere: opened on first use, closed by `agent.close()`. */
  readonly tools?: Tools
  /** Services by contract, among the tools: a call of one leaves as an event, and the run waits for its answer. */
  readonly services?: readonly ServiceContract[]
  /** Code that is asked at the phases of each run, in this order. Each has a name of its own. */
  readonly plugins?: readonly Plugin[]
  /** Who may call which tools, with which arguments. Default: what each tool `needs`. */
  readonly permissions?: PermissionOptions
  /**
   * What is remembered of users from run to run: asked once before the loop of each run, and told what tools gave, the final
   * answer and a limit that was reached. A run with neither `userId` nor session has none.
   */
  readonly memory?: Memory
  /**
   * How a prompt is kept within its budget. What is taken out of it is still in the transcript. `false`: a prompt is
   * compacted only where the model has refused it as too long. Default: on, with a budget of 100,000 tokens.
   */
  readonly compaction?: CompactionOptions | false
  /** Sends a picture to one model call alone, and a text that names its type to those after it. Default false. */
  readonly maskSeenMedia?: boolean
  /**
   * The schema of an answer that ends a run, with `build` if something else than the answer's text is to be checked. Where an
   * answer does not fit, the model is told and answers again, within the limits. An answer that fits is `result.output`.
   */
  readonly output?: Output | BuiltOutput<Output>
  /** How many of the messages that wait a turn takes in: one at a time, or all. Default `one` for both kinds. */
  readonly queueModes?: { readonly steer?: QueueMode; readonly followUp?: QueueMode }
  /**
   * What becomes of a run whose model gives no answer once retries and fallbacks are spent. `end`: the run ends in an
   * error. `wait`: where another time, another key or another model may mend it, the run waits, suspended with reason
   * `model_unavailable`, and asks again when somebody approves. An asking that failed costs no turn and no interaction.
   * Default `end`.
   */
  readonly onModelFailure?: 'end' | 'wait'
  /**
   * Carries the events of services: what the runs of the store send is published to it, and answers that it brings are taken
   * in and their runs driven on, until the agent is closed. Default: `receive` takes answers in, and a `createPublisher` sends.
   */
  readonly broker?: Broker
  /** Default: a memory store of the agent's own. */
  readonly store?: Store
  /** Default `parallel`. */
  readonly executor?: ExecutorOption
  /** What a round does when some of its calls are suspended and others are not. Default `continue`. */
  readonly onPartialSuspension?: 'continue' | 'wait'
  /** When a call gets its decision. Default `immediate`. */
  readonly decisions?: 'immediate' | 'gate'
  /** `false` turns off what would end a run: turns, tokens, time, interactions and cost. */
  readonly limits?: LimitsOption | false
  readonly onLimit?: OnLimit
  /** Settings of each request to a model. */
  readonly request?: RequestSettings
  readonly retry?: Partial<RetryOptions>
  readonly clock?: Clock
  readonly ids?: Ids
  /** Milliseconds a lease lasts without renewal. Default 30,000. */
  readonly leaseMs?: number
  /** Sees every actor of every run of this agent; for the Stately inspector and for coverage. */
  readonly inspect?: Inspect
  /** Follows runs, model calls and tools, such as `openTelemetry()` of `statewright/telemetry`. */
  readonly tracer?: Tracer
}

/** What an agent of these options works with. */
export function partsOf(options: AgentOptions): OwnParts {
  const { name, model, fallbackModels = [], tools = [], services = [] } = options
  const { instructions, plugins } = instructed(options)
  const { maxCallsPerTurn = 128, pluginTimeoutMs = 60_000, ...limits } = options.limits || {}
  const { maxTokens, temperature, thinking, cache } = options.request ?? {}
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
    ...(options.maskSeenMedia === undefined ? {} : { maskSeenMedia: options.maskSeenMedia }),
    maxCallsPerTurn,
    hookTimeoutMs: pluginTimeoutMs,
    ...(toolTimeoutMs === undefined ? {} : { toolTimeoutMs }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(thinking === undefined ? {} : { thinking: checkedThinking(thinking) }),
    ...(cache === undefined ? {} : { cache: checkedCache(cache) }),
    retry: retryOf(options),
    ...(options.permissions === undefined ? {} : { permissions: permissionsOf(options.permissions) }),
  }
}

/** Instructions that are a function become the first plugin that builds the context. */
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

/** Returns true if an output has `build` beside its schema; a JSON schema holds no function. */
export function isBuilt(output: unknown): output is BuiltOutput {
  return isRecord(output) && typeof output['build'] === 'function'
}
