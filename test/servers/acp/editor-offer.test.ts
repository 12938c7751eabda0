import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type * as acp from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { shellTool, unconfined } from '../../../src/adapters/tools/shell.ts'
import { tool } from '../../../src/index.ts'
import { said, textIn } from './editor.ts'
import { calling, inEditor } from './in-editor.ts'

const mcpServer = fileURLToPath(new URL('../../adapters/tools/processes/odd-mcp-server.ts', import.meta.url))

test('SRV-03 reads and writes files through the editor, with its unsaved text and diff, and leaves the file on disk unchanged', async () => {
  const files = { fs: { readTextFile: true, writeTextFile: true } }
  const edit = { path: 'a.txt', edits: [{ oldText: 'unsaved', newText: 'edited' }] }
  const at = await inEditor([calling('read_file', { path: 'a.txt' }), calling('edit_file', edit), 'Done.'], {
    capabilities: files,
    tools: ({ cwd, texts }) => fileTools({ root: cwd, texts }),
  })
  const path = join(at.folder, 'a.txt')
  writeFileSync(path, 'on disk\n')
  at.buffers.set(path, 'unsaved\n')
  const { sessionId } = await at.agent.request('session/new', { cwd: at.folder, mcpServers: [] })
  expect(await at.agent.request('session/prompt', { sessionId, prompt: said('Edit it.') })).toEqual({
    stopReason: 'end_turn',
  })
  expect([at.buffers.get(path), readFileSync(path, 'utf8')]).toEqual(['edited\n', 'on disk\n'])
  const diff = { type: 'diff', path, oldText: 'unsaved', newText: 'edited' }
  expect(at.asked.map(({ toolCall }) => toolCall.content)).toEqual([[diff]])
  const results = (await at.shown()).filter((one) => one.sessionUpdate === 'tool_call_update' && one.content)
  expect(results).toMatchObject([
    { content: [{ content: { text: 'unsaved\n' } }] },
    { content: [{ content: { text: 'Replaced a.txt (7 bytes).' } }, diff] },
  ])
})

test('SRV-03 runs commands in a terminal of the editor, and the call shows it', async () => {
  const at = await inEditor([calling('shell', { command: 'echo $((6*7)); exit 3' }), 'Done.'], {
    capabilities: { terminal: true },
    tools: ({ cwd, terminal }) => [shellTool({ root: cwd, sandbox: terminal ?? unconfined() })],
  })
  const { sessionId } = await at.agent.request('session/new', { cwd: at.folder, mcpServers: [] })
  await at.agent.request('session/prompt', { sessionId, prompt: said('Count.') })
  const shown = JSON.stringify(await at.shown())
  expect(shown).toContain('"content":[{"terminalId":"t0","type":"terminal"}]')
  expect(shown).toContain('[Exit code 3.]')
  expect([at.terminals.size, at.asked.length]).toEqual([1, 1])
})

test("SRV-03 uses the editor's MCP servers with approvals, and names those it leaves out", async () => {
  const at = await inEditor([calling('odd__act', {}), 'Done.'], {
    programs: ['odd', 'gone'],
    tools: ({ servers }) => servers,
  })
  const program = { command: process.execPath, args: [mcpServer, 'sound'], env: [] }
  const mcpServers: acp.McpServer[] = [
    { name: 'odd', ...program },
    { name: 'gone', command: '/no/such/program', args: [], env: [] },
    { name: 'unasked', ...program },
    { type: 'http', name: 'bad address', url: 'file:///etc/passwd', headers: [] },
    { type: 'http', name: 'bad_address', url: 'http://127.0.0.1:1/mcp', headers: [] },
    ...Array.from({ length: 20 }, (_, number) => ({
      type: 'http' as const,
      name: `more-${number}`,
      url: 'http://127.0.0.1:1/',
      headers: [],
    })),
  ]
  const { sessionId } = await at.agent.request('session/new', { cwd: at.folder, mcpServers: mcpServers.slice(0, 4) })
  await at.agent.request('session/prompt', { sessionId, prompt: said('Act.') })
  expect(at.asked.map(({ toolCall }) => toolCall.title)).toEqual(['odd__act'])
  const told = textIn(await at.shown())
  for (const name of ['gone', 'unasked', 'bad address']) expect(told).toContain(`"${name}"`)
  expect(told).toContain('statewright acp --mcp "unasked"')
  expect(existsSync(join(at.folder, 'pid.txt'))).toBe(false)
  const many = await inEditor(['Hi.'], { tools: ({ servers }) => servers.slice(0, 0) })
  await many.agent.request('session/new', { cwd: many.folder, mcpServers })
  while (!textIn(await many.shown()).includes('"more-17"')) await new Promise((resolve) => setImmediate(resolve))
  expect(textIn(await many.shown())).toContain('At most 16 servers are used.')
})

test('SRV-03 sends the plan of a run, and its tokens and costs', async () => {
  const plan = tool({
    name: 'plan',
    description: 'Plans.',
    input: z.object({}),
    execute: (_, context) => {
      const value = ['Look', { content: 'Write', status: 'in_progress', priority: 'high' }, { status: 'completed' }]
      context.patch([{ path: ['plan'], value }])
      return 'Planned.'
    },
  })
  const usage = { input: 100, output: 20 }
  const at = await inEditor(
    [
      { ...calling('plan', {}), usage },
      { text: 'Done.', usage },
    ],
    { tools: () => [plan] },
  )
  const { sessionId } = await at.agent.request('session/new', { cwd: at.folder, mcpServers: [] })
  await at.agent.request('session/prompt', { sessionId, prompt: said('Plan.') })
  const shown = await at.shown()
  expect(shown.filter(({ sessionUpdate }) => sessionUpdate === 'plan')).toEqual([
    {
      sessionUpdate: 'plan',
      entries: [
        { content: 'Look', status: 'pending', priority: 'medium' },
        { content: 'Write', status: 'in_progress', priority: 'high' },
      ],
    },
  ])
  expect(shown.filter(({ sessionUpdate }) => sessionUpdate === 'usage_update').at(-1)).toEqual({
    sessionUpdate: 'usage_update',
    used: 120,
    size: 1_000,
    cost: { amount: 0.00024, currency: 'USD' },
  })
})
