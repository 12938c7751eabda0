import type { ToolDefinition } from '../ports/model.ts'
import type { ToolTable } from './agent-tools.ts'
import { argumentsSchemaOf } from './json-schema-of.ts'

/** What a model is told of these tools. */
export function toolDefinitions(tools: ToolTable): ToolDefinition[] {
  return [...tools.values()].map(({ name, description, input }) => ({
    name,
    description,
    parameters: argumentsSchemaOf(input),
  }))
}
