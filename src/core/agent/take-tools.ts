import type { ToolTable } from '../effects/agent-tools.ts'
import { argumentsSchemaOf, isStandard } from '../effects/tools/json-schema-of.ts'
import { schemaProblem } from '../domain/json-schema/checkable-schema.ts'
import { isRecord } from '../domain/text/json.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import { isToolName } from '../domain/tool-name.ts'
import type { Tool } from '../ports/tool.ts'
import type { Toolset } from '../ports/toolset.ts'
import { checkedLimit } from '../domain/option-numbers.ts'
import { UsageError } from '../domain/text/usage-error.ts'

/** Tools from one source: an agent's own, or those of a toolset. */
export interface ToolGroup {
  /** The name of the toolset; undefined for the agent's own tools. */
  readonly toolset?: string
  readonly tools: readonly Tool[]
}

/** The accepted tools with their sources. */
export interface TakenTools {
  readonly table: ToolTable
  /** Names of toolsets by tool name; undefined for the agent's own tools. */
  readonly owners: ReadonlyMap<string, string | undefined>
}

/** Returns true for a tool, and false for a toolset. */
export function isTool(item: Tool | Toolset): item is Tool {
  return isRecord(item) && 'execute' in item
}

/** Called with each rejected tool. */
export type Refuse = (problem: UsageError, tool: Tool, toolset: string | undefined) => void

/**
 * Returns a table of all tools by name, in the order of the groups. A name stays with its earlier group as long as that
 * group still offers a tool of this name. A new name belongs to the first group that offers it.
 */
export function takeTools(groups: readonly ToolGroup[], refuse: Refuse, before?: TakenTools): TakenTools {
  const owners = new Map<string, string | undefined>()
  for (const { toolset, tools } of groups) {
    for (const { name } of tools) if (isHeld(name, toolset, before)) owners.set(name, toolset)
  }
  const table = new Map<string, Tool>()
  for (const { toolset, tools } of groups) {
    for (const tool of tools) {
      const isTaken = table.has(tool.name) || (owners.has(tool.name) && owners.get(tool.name) !== toolset)
      const problem =
        problemOf(tool, toolset) ??
        (isTaken ? taken(tool, toolset, table.get(tool.name), owners.get(tool.name)) : undefined)
      if (problem !== undefined) {
        refuse(problem, tool, toolset)
        continue
      }
      table.set(tool.name, tool)
      owners.set(tool.name, toolset)
    }
  }
  return { table, owners }
}

/** Throws the first problem, so that either every tool is accepted or none. */
export function refuseAll(problem: UsageError): never {
  throw problem
}

function isHeld(name: string, toolset: string | undefined, before: TakenTools | undefined): boolean {
  return before !== undefined && before.owners.has(name) && before.owners.get(name) === toolset
}

function problemOf(tool: Tool, toolset: string | undefined): UsageError | undefined {
  const { name, sourceName, timeoutMs, background } = tool
  if (!isToolName(name)) {
    const source = sourceName === undefined ? '' : `, made of ${JSON.stringify(sourceName)},`
    const place = toolset === undefined ? '' : ` of ${placeOf(toolset)}`
    const wish = 'Expected 1 to 64 of the characters A-Z, a-z, 0-9, "_" and "-".'
    return new UsageError('bad_tool_name', `Tool name "${name}"${source}${place} is refused. ${wish}`)
  }
  if (background === true) {
    const found = `Tool "${name}" of ${placeOf(toolset ?? '')} is declared as background work.`
    return new UsageError('bad_option', `${found} Put it into the list of an agent's tools instead of a toolset.`)
  }
  try {
    checkedLimit(`timeoutMs of tool "${name}"`, timeoutMs)
    checkSchema(tool)
    return undefined
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
}

/** Converts the schema here instead of at the first model call, so that an unusable schema is reported at once. */
function checkSchema({ name, input, output }: Tool): void {
  for (const [field, schema] of [
    ['input', input],
    ['output', output],
  ] as const) {
    const problem = schema === undefined || isStandard(schema) ? undefined : schemaProblem(schema)
    if (problem === undefined) continue
    throw new UsageError(
      'bad_option',
      `The ${field} of tool "${name}" is a JSON Schema that cannot be checked at ${problem}`,
    )
  }
  try {
    argumentsSchemaOf(input)
  } catch (error) {
    throw new UsageError('bad_option', `The input of tool "${name}" cannot be shown to a model: ${thrownText(error)}`)
  }
}

function taken(
  { name, sourceName = name }: Tool,
  toolset: string | undefined,
  other: Tool | undefined,
  owner: string | undefined,
): UsageError {
  if (toolset === undefined) {
    return new UsageError('tool_name_taken', `Two tools are named "${name}". Give each tool a unique name.`)
  }
  const sources = [other?.sourceName ?? name, sourceName].map((source) => JSON.stringify(source))
  const made = sources.every((source) => source === JSON.stringify(name)) ? '' : ` (made of ${sources.join(' and ')})`
  const where =
    toolset === owner ? `both of ${placeOf(toolset)}` : `one of ${placeOf(owner)}, one of ${placeOf(toolset)}`
  const wish = toolset === owner ? 'Leave one of them out.' : 'Give the toolset a prefix, or leave one of them out.'
  return new UsageError('tool_name_taken', `Two tools are named "${name}"${made}, ${where}. ${wish}`)
}

function placeOf(toolset: string | undefined): string {
  return toolset === undefined ? 'the agent' : `toolset "${toolset}"`
}
