import type { Tool as McpTool } from '@modelcontextprotocol/client'
import { ignoreThrows } from '../../../core/domain/ignore-throws.ts'
import { isRecord } from '../../../core/domain/text/json.ts'
import { badOption } from '../../../core/domain/text/option-shape.ts'
import { toolNamesOf } from '../../../core/domain/tool-name.ts'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import type { Tool } from '../../../core/ports/tool.ts'
import type { Toolset } from '../../../core/ports/toolset.ts'
import { causeWithout } from '../header-secrets.ts'
import { foreignText } from '../foreign-text.ts'
import { McpConnection } from './connection.ts'
import { McpError } from './mcp-error.ts'
import { whyUnusable } from './mend-tool.ts'
import { checkCredentials, type McpOptions, placeOf } from './mcp-options.ts'
import { ServerSecrets } from './server-secrets.ts'
import { ServerTools } from './server-tools.ts'
import { untilAborted } from '../until-aborted.ts'

/**
 * Returns the tools of an MCP server, which is started as a child process or contacted over HTTP on first use. A
 * server's statements about its tools do not change how they are treated: each call may run only once unless `rules`
 * say otherwise. A question of the server suspends its call; a question of protocol 2026-07-28 survives a restart, an
 * older one does not.
 *
 * @example
 * const files = mcpToolset({
 *   name: 'files',
 *   prefix: 'files',
 *   command: 'npx',
 *   args: ['-y', '@modelcontextprotocol/server-filesystem', '.'],
 *   rules: { read_text_file: { effects: 'none' }, write_file: { needs: 'approval' } },
 * })
 */
export function mcpToolset(options: McpOptions): Toolset {
  if (!isRecord(options))
    throw badOption({ field: 'options', owner: 'mcpToolset' }, options, 'Expected { name, command } or { name, url }.')
  placeOf(options)
  checkCredentials(options)
  const listeners = new Set<() => void>()
  const secrets = new ServerSecrets(options)
  const connection = new McpConnection(options, secrets, {
    changed: () => listeners.forEach((listener) => listener()),
    asked: async (params, signal) => await serverTools.asked(params, signal),
  })
  const serverTools = new ServerTools(options, secrets, connection)
  const told = new Set<string>()
  let isChecked = false
  return {
    name: options.name,
    ...(options.optional === undefined ? {} : { optional: options.optional }),
    tools: async ({ signal } = {}) => {
      const listed = await listTools(options, secrets, connection, signal)
      if (!isChecked) checkNames(options, listed)
      isChecked = true
      const usable = usableTools(options, secrets, told, chosen(options, listed))
      const names = toolNamesOf(usable.keys(), options.prefix)
      return [...usable.values()].map((tool): Tool => serverTools.tool(tool, names.get(tool.name) ?? tool.name))
    },
    changed: (listener) => {
      const own = () => listener()
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    close: async () => {
      listeners.clear()
      serverTools.close()
      await connection.close()
    },
  }
}

const maxTools = 2_000

async function listTools(
  options: McpOptions,
  secrets: ServerSecrets,
  connection: McpConnection,
  signal: AbortSignal | undefined,
): Promise<readonly McpTool[]> {
  const { connectTimeoutMs: timeout = 30_000 } = options
  const cancel = signal === undefined ? {} : { signal }
  try {
    const { tools } = await connection.use(
      signal,
      async ({ client }) => {
        const deadline = AbortSignal.timeout(timeout)
        const listing = client.listTools(undefined, { timeout, cacheMode: 'refresh', ...cancel })
        return await untilAborted(listing, signal === undefined ? deadline : AbortSignal.any([signal, deadline]))
      },
      'repeatable',
    )
    if (tools.length <= maxTools) return tools
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof McpError) throw error
    const what = foreignText(secrets.text(thrownText(error)), 500)
    const text = `The tools of ${placeOf(options)} cannot be listed: ${what} Ask the operator of the server, or leave it out.`
    throw new McpError('bad_list', text, causeWithout(error, secrets))
  }
  throw new McpError('bad_list', `${placeOf(options)} lists more than ${maxTools} tools. Use another server.`)
}

function chosen({ only }: McpOptions, tools: readonly McpTool[]): readonly McpTool[] {
  return only === undefined ? tools : tools.filter(({ name }) => only.includes(name))
}

const maxNamed = 20

function usableTools(
  options: McpOptions,
  secrets: ServerSecrets,
  told: Set<string>,
  tools: readonly McpTool[],
): ReadonlyMap<string, McpTool> {
  const { onWarning = (warning) => process.emitWarning(warning, 'McpWarning') } = options
  const usable = new Map<string, McpTool>()
  const fresh: string[] = []
  for (const tool of tools) {
    const reason = whyUnusable(tool) ?? (usable.has(tool.name) ? 'it is listed twice' : undefined)
    if (reason === undefined) usable.set(tool.name, tool)
    const shown = `${tool.name === '' ? 'a tool' : `"${tool.name}"`}: ${reason}`
    if (reason === undefined || told.has(shown)) continue
    told.add(shown)
    fresh.push(foreignText(secrets.text(shown), 300))
  }
  const rest = fresh.length > maxNamed ? '; …' : ''
  if (fresh.length > 0)
    ignoreThrows(onWarning)(`${placeOf(options)}: left out ${fresh.slice(0, maxNamed).join('; ')}${rest}.`)
  return usable
}

function checkNames(options: McpOptions, tools: readonly McpTool[]): void {
  const names = tools.map(({ name }) => name)
  const wanted = [...(options.only ?? []), ...Object.keys(options.rules ?? {})]
  const unknown = wanted.find((name) => !names.includes(name))
  if (unknown === undefined) return
  const known = names.slice(0, 50).map((name) => foreignText(name, 64))
  const text = `${placeOf(options)} has no tool "${unknown}", which "only" or "rules" names. It has: ${known.join(', ')}.`
  throw new McpError('unknown_tool', text)
}
