import type { ToolDefinition } from '../../ports/model.ts'
import type { ToolTable } from '../agent-tools.ts'
import { argumentsSchemaOf } from '../tools/json-schema-of.ts'

const told = new WeakMap<ToolTable, readonly ToolDefinition[]>()

/** Returns the definitions of tools for a model, computed once per table. */
export function toolDefinitions(tools: ToolTable): readonly ToolDefinition[] {
  const known = told.get(tools) ?? definitionsOf(tools)
  told.set(tools, known)
  return known
}

function definitionsOf(tools: ToolTable): readonly ToolDefinition[] {
  const definitions = [...tools.values()].map(({ name, description, input }) =>
    Object.freeze({ name, description, parameters: argumentsSchemaOf(input) }),
  )
  return Object.freeze(definitions)
}
