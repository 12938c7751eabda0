import type { McpServer } from '@agentclientprotocol/sdk'
import { type McpOptions, mcpToolset } from '../../adapters/tools/mcp.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import type { Toolset } from '../../index.ts'

/** The MCP servers of an editor. */
export interface ServerParts {
  /** The folder of the session, an absolute path. */
  readonly cwd: string
  readonly servers: readonly McpServer[]
  /** Names of the servers that may be started as programs. */
  readonly programs: readonly string[]
}

/** The number of servers that one session may use. */
const mostServers = 16

/** Returns toolsets for the MCP servers that an editor names, and the reasons for leaving others out. */
export function editorServers({ servers, programs, cwd }: ServerParts) {
  const toolsets = new Map<string, Toolset>()
  const leftOut: string[] = []
  for (const server of servers) {
    const name = server.name.slice(0, 100)
    const prefix = name.replaceAll(/[^\w-]+/g, '_').slice(0, 24)
    try {
      if (toolsets.size === mostServers) throw new Error(`At most ${mostServers} servers are used.`)
      if (toolsets.has(prefix)) throw new Error('Another server has this name.')
      // A server does not define how its tools are treated, and a server that is gone ends no run.
      const own = { name, prefix, optional: true, connectTimeoutMs: 10_000, defaults: { needs: 'approval' as const } }
      toolsets.set(prefix, mcpToolset({ ...optionsOf(server, programs, cwd), ...own }))
    } catch (error) {
      leftOut.push(`The MCP server "${name}" is left out: ${thrownText(error)}`)
    }
  }
  return { toolsets: [...toolsets.values()], leftOut }
}

function optionsOf(server: McpServer, programs: readonly string[], cwd: string): McpOptions {
  const { name } = server
  if ('type' in server) {
    const { type: transport, url } = server
    if (transport !== 'http' && transport !== 'sse')
      throw new Error('Its transport is not known. Use stdio, http or sse.')
    const headers = Object.fromEntries(server.headers.map((header) => [header.name, header.value]))
    return { name, url, headers, transport }
  }
  if (!programs.includes(name)) {
    throw new Error(`It would start a program. Allow it by its name: statewright acp --mcp ${JSON.stringify(name)}`)
  }
  const { command, args } = server
  const env = Object.fromEntries(server.env.map((variable) => [variable.name, variable.value]))
  return { name, command, args, env, cwd }
}
