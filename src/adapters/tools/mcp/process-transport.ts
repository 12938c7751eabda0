import type { Transport } from '@modelcontextprotocol/client'
import { GroupTransport } from './group-transport.ts'
import { loadClient, loadStdio } from './load-client.ts'
import type { McpProcessOptions } from './mcp-options.ts'

type StartServer = (wrote: (text: string) => void) => Transport

/** Returns a function that starts the server. Closing ends the server and the processes that it started. */
export async function processTransports(options: McpProcessOptions): Promise<StartServer> {
  const { command, args = [], env = {}, cwd, maxMessageBytes = 10_000_000 } = options
  const { getDefaultEnvironment } = await loadStdio()
  const { parseJSONRPCMessage } = await loadClient()
  const place = cwd === undefined ? {} : { cwd }
  const wanted = { command, args, env: { ...getDefaultEnvironment(), ...env }, ...place }
  return (wrote) => new GroupTransport(wanted, parseJSONRPCMessage, maxMessageBytes, wrote)
}
