import type { Transport } from '@modelcontextprotocol/client'
import { GroupTransport } from './group-transport.ts'
import { loadClient, loadStdio } from './load-client.ts'
import type { McpProcessOptions } from './mcp-options.ts'

/** Starts servers as child processes; what one writes to its error output is told. */
export type StartServer = (wrote: (text: string) => void) => Transport

/**
 * What starts the server of these options. Closing lets it read the end of its input, then ends it and what it started
 * by force, and resolves once they are gone. Windows has no groups: there the package's own way ends the one process.
 */
export async function processTransports(options: McpProcessOptions): Promise<StartServer> {
  const { command, args = [], env = {}, cwd, maxMessageBytes: maxBufferSize = 10_000_000 } = options
  const { getDefaultEnvironment, StdioClientTransport } = await loadStdio()
  const place = cwd === undefined ? {} : { cwd }
  if (process.platform !== 'win32') {
    const { ReadBuffer, serializeMessage } = await loadClient()
    const wanted = { command, args, env: { ...getDefaultEnvironment(), ...env }, ...place }
    return (wrote) => {
      const lines = { buffer: new ReadBuffer({ maxBufferSize }), serialize: serializeMessage }
      return new GroupTransport(wanted, lines, wrote)
    }
  }
  return (wrote) => {
    const given = { command, args: [...args], env: { ...env }, stderr: 'pipe' as const, maxBufferSize, ...place }
    const transport = new StdioClientTransport(given)
    transport.stderr?.on('data', (chunk: Buffer) => wrote(chunk.toString()))
    return transport
  }
}
