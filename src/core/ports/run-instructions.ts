import type { Json } from '../domain/text/json.ts'
import type { UserMessage } from '../domain/message.ts'
import type { RunDetails } from '../domain/run-details.ts'
import type { TraceContext } from '../domain/trace-context.ts'
import type { ToolDefinition } from './model.ts'

/** What a plugin makes the context of a run from (requirement AGT-07). */
export interface ContextBuilderInput {
  /** What the run was started with: the value of `{ input }`, the text, or the messages. */
  readonly input: Json
  /** Always `init`, because it is asked once, at the start of a run. */
  readonly lifecycle: 'init'
  /** The tools the first model call will be offered. */
  readonly tools: readonly ToolDefinition[]
  /** The agent, with the instructions as the plugin before has left them. */
  readonly agent: { readonly name: string; readonly instructions: string }
  readonly runId: string
  /** What the run was given at its start: subject, access control, the one who delegated it, quota, labels. */
  readonly run: RunDetails
  /** Fires when the run no longer wants a context, and after `limits.pluginTimeoutMs`. */
  readonly signal: AbortSignal
  /** Where its work belongs in a trace, for requests of its own to carry on; absent where the agent has no tracer. */
  readonly trace?: TraceContext
}

/** The context of a run. */
export interface RunInstructions {
  /** The system prompt, which replaces the agent's `instructions`; stored with the run. */
  readonly system: string
  /** User messages the run starts with. Default: the prompt, or the JSON of `{ input }` as one message. */
  readonly messages?: readonly UserMessage[]
}
