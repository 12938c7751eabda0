import type { NamedTool, ToolOptions } from './tool.ts'
import type { Schema } from './schema.ts'
import { checkTool } from './tool-shape.ts'

/**
 * Declares a tool; `execute` receives the validated input. Throws a `UsageError` for an unknown or invalid field.
 *
 * @example
 * const weather = tool({
 *   name: 'weather',
 *   description: 'Weather of a city',
 *   input: z.object({ city: z.string() }),
 *   effects: 'none',
 *   execute: async ({ city }) => `Sunny in ${city}`,
 * })
 */
export function tool<const S extends Schema, const Name extends string = string, const O extends Schema = Schema>(
  options: ToolOptions<S, Name, O>,
): NamedTool<Name, S, O> {
  checkTool(options)
  return options
}
