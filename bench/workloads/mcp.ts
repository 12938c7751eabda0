import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { filesystemServer } from '../../proof/mcp/official-servers.ts'
import { mcpToolset } from '../../src/adapters/tools/mcp.ts'
import { callTool } from '../call-tool.ts'
import { timeOf } from '../stopwatch.ts'
import type { Workload } from '../workload.ts'

const server = filesystemServer(realpathSync(tmpdir()))
const name = 'list_allowed_directories'

/**
 * Calls of a tool that does nothing, of the official filesystem server as a child process, through a toolset beside the
 * bare client package; what is counted is the processor time of this side.
 */
export const mcp: Workload = {
  name: 'mcp',
  unit: 'µs a call',
  floor: 'the client of the official package calls the same tool of the same server.',
  rounds: 11,
  warmUp: { size: 100, times: 2 },
  variants: [{ name: 'stdio', sizes: [500], subjects: { floor: callBare, statewright: callThroughToolset } }],
}

async function callBare(size: number): Promise<number> {
  const client = new Client({ name: 'bare', version: '1' })
  await client.connect(new StdioClientTransport({ ...server, args: [...server.args], stderr: 'ignore' }))
  try {
    await client.listTools()
    return await perCall(size, async () => void (await client.callTool({ name, arguments: {} })))
  } finally {
    await client.close()
  }
}

async function callThroughToolset(size: number): Promise<number> {
  const toolset = mcpToolset({ name: 'files', only: [name], ...server })
  try {
    const [tool] = await toolset.tools()
    if (tool === undefined) throw new Error(`There is no tool ${name}.`)
    return await perCall(size, async () => void (await callTool(tool, {})))
  } finally {
    await toolset.close()
  }
}

async function perCall(size: number, call: () => Promise<void>): Promise<number> {
  const whole = await timeOf('processor', async () => {
    for (let count = 0; count < size; count++) await call()
  })
  return whole / size
}
