import type { JsonObject } from '../../src/core/domain/text/json.ts'
import { jsonSchemaOf } from '../../src/core/effects/tools/json-schema-of.ts'
import type { Tool, ToolResult, ToolReturn } from '../../src/core/ports/tool.ts'
import type { Toolset } from '../../src/core/ports/toolset.ts'
import { performTool } from '../../src/testing/toolsets/perform-tool.ts'
import { type OpenApiOptions, openApiToolset } from '../../src/adapters/tools/openapi.ts'

/** An OpenAPI document of these paths. */
export function documentOf(paths: object, rest: object = {}): string {
  return JSON.stringify({ openapi: '3.1.0', info: { title: 'Test', version: '1' }, paths, ...rest })
}

/** A toolset that is opened, and what it warned of. */
export interface OpenedToolset extends AsyncDisposable {
  readonly toolset: Toolset
  readonly tools: readonly Tool[]
  readonly warnings: readonly string[]
  /** Performs a tool and gives its text, and whether it is an error. */
  call(name: string, input?: object): Promise<readonly [text: string, isError: boolean]>
  schema(name: string): JsonObject
}

/** Opens the toolset of a document. */
export async function opened(text: string, options: Partial<OpenApiOptions> = {}): Promise<OpenedToolset> {
  const warnings: string[] = []
  const toolset = openApiToolset({ source: { text }, onWarning: (warning) => void warnings.push(warning), ...options })
  const tools = await toolset.tools()
  const named = (name: string) => {
    const tool = tools.find((one) => one.name === name)
    if (tool === undefined)
      throw new Error(`There is no tool "${name}", but ${tools.map((one) => one.name).join(', ')}.`)
    return tool
  }
  return {
    toolset,
    tools,
    warnings,
    call: async (name, input = {}) => textOf(await performTool(named(name), input as JsonObject)),
    schema: (name) => jsonSchemaOf(named(name).input),
    [Symbol.asyncDispose]: () => toolset.close(),
  }
}

/** The text of a result, and whether it is an error. */
function textOf(returned: ToolReturn): readonly [text: string, isError: boolean] {
  const { content, status } = returned as ToolResult
  return [content.map((block) => (block.type === 'text' ? block.text : block.type)).join(''), status === 'error']
}
