import type { AssistantMessage } from '../domain/message.ts'
import type { TraceContext } from '../domain/trace-context.ts'
import type { OutputFormat } from './model.ts'
import type { Schema } from './schema.ts'

/** The input of an output builder. */
export interface OutputBuilderInput {
  /** The text of the answer. */
  readonly text: string
  readonly message: AssistantMessage
  /** The requested format: the output schema as JSON Schema. */
  readonly outputFormat: OutputFormat
  /** The position of its work in a trace, for its own requests; absent if the agent has no tracer. */
  readonly trace?: TraceContext
}

/**
 * Maps an answer to the value that the output schema checks. Default: the answer's text parsed as JSON, or the text
 * itself if it is not JSON.
 */
export type OutputBuilder = (input: OutputBuilderInput) => unknown

/** The requirements on an answer that ends a run (requirement AGT-08). */
export interface OutputContract {
  readonly schema: Schema
  readonly builder?: OutputBuilder
}
