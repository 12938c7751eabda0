import type { Json } from '../domain/text/json.ts'
import type { UserMessage } from '../domain/message.ts'
import type { RunDetails } from '../domain/run-details.ts'
import type { TraceContext } from '../domain/trace-context.ts'
import type { ToolDefinition } from './model.ts'

/** The input of a plugin's `buildContext` (requirement AGT-07). */
export interface ContextBuilderInput {
  /** The input of the run's start: the value of `{ input }`, the text, or the messages. */
  readonly input: Json
  /** Always `init`, because the plugin is called once, at the start of a run. */
  readonly lifecycle: 'init'
  /** The tools that the first model call will offer. */
  readonly tools: readonly ToolDefinition[]
  /** The agent, with the instructions of the plugin before this one. */
  readonly agent: { readonly name: string; readonly instructions: string }
  readonly runId: string
  /** The data that the run received at its start, such as subject, access control, delegator, quota and labels. */
  readonly run: RunDetails
  /** Fires when the run no longer needs a context, and after `limits.pluginTimeoutMs`. */
  readonly signal: AbortSignal
  /** The position of its work in a trace, for its own requests; absent if the agent has no tracer. */
  readonly trace?: TraceContext
}

/** The instructions of a run. */
export interface RunInstructions {
  /** The system prompt, which replaces the agent's `instructions`; stored with the run. */
  readonly system: string
  /** User messages that the run starts with. Default: the prompt, or the JSON of `{ input }` as one message. */
  readonly messages?: readonly UserMessage[]
}
