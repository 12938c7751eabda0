import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { markedProgram } from '../../../proof/mcp/marked-program.ts'
import { mcpToolset } from '../../../src/adapters/tools/mcp.ts'

const script = fileURLToPath(new URL('processes/odd-mcp-server.ts', import.meta.url))

test.each([
  ['sh', ['-c', 'exec 3<&0; "$0" "$@" <&3 & wait']],
  ['sh', ['-c', '"$0" "$@"; true']],
])(
  'TOOL-04 a server started by %s %j ends with its toolset, and leaves no process',
  async (command, args) => {
    for (const fault of ['sound', 'stubborn']) {
      const { program, pids } = markedProgram({ command, args: [...args, process.execPath, script, fault] })
      const toolset = mcpToolset({ name: 'behind', ...program })
      onTestFinished(() => toolset.close())
      expect(await toolset.tools()).toHaveLength(2)
      expect(pids().length).toBeGreaterThan(1)
      await toolset.close()
      expect(pids()).toEqual([])
    }
  },
  30_000,
)

test('TOOL-04 leaves out a tool that runs only as a task, and reports it once', async () => {
  const told: string[] = []
  const program = { command: process.execPath, args: [script, 'tasks'] }
  const onWarning = (warning: string) => void told.push(warning)
  const toolset = mcpToolset({ name: 'odd', ...program, onWarning, only: ['act', 'research'] })
  onTestFinished(() => toolset.close())
  for (let times = 0; times < 2; times++) expect((await toolset.tools()).map(({ name }) => name)).toEqual(['act'])
  expect(told).toEqual([
    expect.stringMatching(
      /^MCP server "odd" \(.*\): left out "research": it runs as a task only, which is not supported\.$/,
    ),
  ])
})

test('TOOL-04 ends a process that its server started in a separate session', async () => {
  const { program, pids } = markedProgram({ command: process.execPath, args: [script, 'leaves a process'] })
  const toolset = mcpToolset({ name: 'odd', ...program })
  onTestFinished(() => toolset.close())
  await toolset.tools()
  expect(pids()).toHaveLength(2)
  await toolset.close()
  expect(pids()).toEqual([])
})
