import { having } from '../core/domain/text/option-shape.ts'
import type { Agent } from '../index.ts'
import { listen } from './mcp/listen.ts'
import { loadStdioServer } from './mcp/load-server.ts'
import { serverFactory } from './mcp/agent-server.ts'
import type { McpHttpService, McpService, ServeMcpHttpOptions, ServeMcpOptions } from './mcp/serve-options.ts'

export { ServeMcpError, type ServeMcpErrorCode } from './mcp/serve-error.ts'
export type { McpHttpService, McpService, ServeMcpHttpOptions, ServeMcpOptions } from './mcp/serve-options.ts'

/** Serves an agent to MCP clients at an address; see the other form. */
export function serveMcp(agent: Agent, options: ServeMcpHttpOptions): Promise<McpHttpService>
/**
 * Serves an agent to MCP clients: over the standard input and output of this process, which must then print nothing
 * else, or with `transport: 'http'` on loopback, for clients that have the token. The agent is a tool with its own
 * name. A run that waits asks its client, if the client supports that; otherwise the result lists the open questions,
 * and the tools `approve`, `deny` and `respond` answer them. The resource `run://{runId}` has the state of a run. Only
 * runs that were started here can be reached.
 *
 * @example
 * const { url, token } = await serveMcp(agent, { transport: 'http', port: 3000 })
 */
export function serveMcp(agent: Agent, options?: ServeMcpOptions): Promise<McpService>
/** Serves an agent to MCP clients, as its options say. */
export async function serveMcp(agent: Agent, options: ServeMcpOptions | ServeMcpHttpOptions = {}): Promise<McpService> {
  having('an agent, as createAgent gives it', 'start', 'load')(agent, { field: 'agent', owner: 'serveMcp' })
  if (options.transport === 'http') return await listen(agent, options)
  const { serveStdio } = await loadStdioServer()
  const served = serveStdio(await serverFactory(agent, options))
  return { close: async () => await served.close() }
}
