import type { Json } from '../domain/json.ts'
import type { UserMessage } from '../domain/message.ts'
import type { RunDetails } from '../domain/run-details.ts'
import type { ToolDefinition } from './model.ts'

/** What a context builder makes the context of a run from. */
export interface ContextBuilderInput {
  /** What the run was started with: the value of `{ input }`, the text, or the messages. */
  readonly input: Json
  /** Always `init`: a builder is called once, at the start of a run. */
  readonly lifecycle: 'init'
  /** The tools the first model call will be offered. */
  readonly tools: readonly ToolDefinition[]
  readonly agent: { readonly name: string; readonly instructions: string }
  readonly runId: string
  /** What the run was given at its start: subject, access control, who handed it on, quota, labels. */
  readonly run: RunDetails
  /** Fires when the run no longer wants a context, and after `hookTimeoutMs`. */
  readonly signal: AbortSignal
}

/** The context of a run. */
export interface RunInstructions {
  /** The system prompt, in place of the agent's `instructions`; stored with the run. */
  readonly system: string
  /** User messages the run starts with. Default: the prompt; of `{ input }` its JSON as one message. */
  readonly messages?: readonly UserMessage[]
}

/**
 * Makes the context of a run, once, at its start (requirement AGT-07); what it makes is stored with the run. One that
 * throws, gives something else or does not end within `hookTimeoutMs` ends the run with an error that says so.
 */
export type ContextBuilder = (input: ContextBuilderInput) => RunInstructions | Promise<RunInstructions>
