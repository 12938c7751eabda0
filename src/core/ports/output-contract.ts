import type { AssistantMessage } from '../domain/message.ts'
import type { TraceContext } from '../domain/trace-context.ts'
import type { OutputFormat } from './model.ts'
import type { Schema } from './schema.ts'

/** What an output builder makes a value from. */
export interface OutputBuilderInput {
  /** The text of the answer. */
  readonly text: string
  readonly message: AssistantMessage
  /** The form that the model was asked for: the output schema as JSON Schema. */
  readonly outputFormat: OutputFormat
  /** Where its work belongs in a trace, for requests of its own to carry on; absent where the agent has no tracer. */
  readonly trace?: TraceContext
}

/**
 * Maps an answer to the value that the output schema checks. Default: the text as JSON; a text that is no JSON is the
 * value itself.
 */
export type OutputBuilder = (input: OutputBuilderInput) => unknown

/** What an answer that ends a run must be (requirement AGT-08). */
export interface OutputContract {
  readonly schema: Schema
  readonly builder?: OutputBuilder
}
