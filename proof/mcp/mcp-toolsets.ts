import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { ToolsetUnderTest } from '../../src/testing/index.ts'
import { mcpToolset } from '../../src/adapters/tools/mcp.ts'
import { officialServers, openSubject, type Way } from './mcp-subjects.ts'

/** MCP toolsets for the suite every toolset has to pass, by how their server is reached. */
export const mcpToolsets: Readonly<Record<string, () => Promise<ToolsetUnderTest>>> = {
  'mcp stdio': () => openFiles('stdio'),
  'mcp http': () => openFiles('http'),
  'mcp of 2026': openChanging,
}

async function openFiles(way: Way): Promise<ToolsetUnderTest> {
  const files = officialServers.find(({ name }) => name === 'filesystem')
  if (files === undefined) throw new Error('There is no server of files.')
  const subject = await openSubject(files, way)
  return {
    toolset: mcpToolset({ name: 'files', ...subject.options }),
    sample: { name: 'list_allowed_directories', input: {} },
    unreachable,
    dispose: subject.dispose,
  }
}

/** A server in this process that speaks the newest protocol and gets one tool more. */
async function openChanging(): Promise<ToolsetUnderTest> {
  const names = ['act']
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'changing', version: '1' })
      for (const name of names) {
        server.registerTool(name, { inputSchema: z.object({}) }, () => ({ content: [{ type: 'text', text: 'done' }] }))
      }
      return server
    },
    { legacy: 'reject' },
  )
  const url = 'http://changing.invalid/mcp'
  return {
    toolset: mcpToolset({
      name: 'changing',
      url,
      fetch: async (at, init) => await handler.fetch(new Request(at, init)),
    }),
    sample: { name: 'act', input: {} },
    unreachable,
    change: async () => {
      names.push('other')
      handler.notify.toolsChanged()
    },
    dispose: async () => await handler.close(),
  }
}

function unreachable() {
  return mcpToolset({ name: 'nobody', command: 'no-such-program-anywhere' })
}
