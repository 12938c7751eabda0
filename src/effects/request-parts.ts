import type { ModelMessage } from '../domain/message.ts'
import type { RunView } from '../ports/effect-handler.ts'
import type { OutputFormat, RequestLifecycle } from '../ports/model.ts'
import type { OutputContract } from '../ports/output-contract.ts'
import type { AgentParts } from './agent-parts.ts'
import { jsonSchemaOf } from './json-schema-of.ts'

/** The system prompt: what the context builder made for this run, else that of the agent. */
export function instructionsOf({ instructions }: AgentParts, view: RunView): string {
  const own = view.value('instructions')
  return typeof own === 'string' ? own : instructions
}

/** Why the model is asked. */
export function lifecycleOf(isCorrecting: boolean, messages: readonly ModelMessage[]): RequestLifecycle {
  if (isCorrecting) return 'output_error_feedback'
  return messages.at(-1)?.role === 'toolResult' ? 'tool_result' : 'init'
}

/** The form of the answer that ends the run, for wires that have a place for it. */
export function outputFormatOf({ schema }: OutputContract): OutputFormat {
  return { name: 'output', schema: jsonSchemaOf(schema) }
}
