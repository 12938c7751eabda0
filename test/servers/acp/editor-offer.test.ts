import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import * as acp from '@agentclientprotocol/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { shellTool, unconfined } from '../../../src/adapters/tools/shell.ts'
import { createAgent, type Model, tool } from '../../../src/index.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { type EditorSession, serveAcp } from '../../../src/servers/acp.ts'
import { choose, said, textIn } from './editor.ts'

const mcpServer = fileURLToPath(new URL('../../adapters/tools/processes/odd-mcp-server.ts', import.meta.url))

/** The program of an editor: it has a file with changes that are not saved, runs terminals, and allows everything. */
async function inEditor(
  script: readonly ScriptedReply[],
  given: {
    readonly tools?: (editor: EditorSession) => Parameters<typeof createAgent>[0]['tools']
    readonly choices?: (editor: EditorSession) => string
    readonly programs?: readonly string[]
    readonly capabilities?: acp.ClientCapabilities
  },
) {
  const folder = await temporaryFolder()
  const store = memoryStore()
  const buffers = new Map<string, string>()
  const terminals = new Map<string, Promise<{ output: string; exitCode: number | null }>>()
  const updates: acp.SessionUpdate[] = []
  const asked: acp.RequestPermissionRequest[] = []
  const model: Model = {
    ...scripted(script),
    contextWindow: 1_000,
    prices: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  }
  const make = (editor: EditorSession) => {
    const instructions = given.choices?.(editor) ?? ''
    return createAgent({ name: 'coder', model, store, instructions, tools: given.tools?.(editor) ?? [] })
  }
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = await serveAcp(make, { input, output, programs: given.programs ?? [] })
  onTestFinished(() => served.close())
  const { agent } = acp
    .client({ name: 'editor' })
    .onRequest('session/request_permission', ({ params }) => {
      asked.push(params)
      return choose('allow')
    })
    .onNotification('session/update', ({ params }) => void updates.push(params.update))
    .onRequest('fs/read_text_file', ({ params: { path } }) => ({
      content: buffers.get(path) ?? readFileSync(path, 'utf8'),
    }))
    .onRequest('fs/write_text_file', ({ params: { path, content } }) => {
      buffers.set(path, content)
      return {}
    })
    .onRequest('terminal/create', ({ params: { command, args = [], cwd } }) => {
      const terminalId = `t${terminals.size}`
      const ended = Promise.withResolvers<{ output: string; exitCode: number | null }>()
      execFile(command, args, { cwd: cwd ?? folder }, (error, stdout, stderr) =>
        ended.resolve({ output: stdout + stderr, exitCode: Number(error?.code ?? 0) }),
      )
      terminals.set(terminalId, ended.promise)
      return { terminalId }
    })
    .onRequest('terminal/wait_for_exit', async ({ params: { terminalId } }) => ({
      exitCode: (await terminals.get(terminalId))?.exitCode ?? null,
    }))
    .onRequest('terminal/output', async ({ params: { terminalId } }) => ({
      output: (await terminals.get(terminalId))?.output ?? '',
      truncated: false,
    }))
    .onRequest('terminal/release', () => ({}))
    .onRequest('terminal/kill', () => ({}))
    .connect(acp.ndJsonStream(Writable.toWeb(input), Readable.toWeb(output) as ReadableStream<Uint8Array>))
  const clientCapabilities = given.capabilities ?? {}
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities })
  const shown = async () => {
    await agent.request('session/list', {})
    return updates
  }
  return { agent, folder, buffers, asked, shown, terminals }
}

const calling = (name: string, given: object) => ({ toolCalls: [{ id: name, name, arguments: { ...given } }] })

test('SRV-03 reads and writes files through the editor, with its unsaved text, its diff, and the file on disk unchanged', async () => {
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

test('SRV-03 runs commands in a terminal of the editor, which the call shows', async () => {
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

test('SRV-03 uses the MCP servers of the editor with approvals, and names those that it leaves out', async () => {
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

test('SRV-03 offers choices, of which the mode is one, and makes the next agent by them', async () => {
  const systems: string[] = []
  const noted = ({ system }: { readonly system: string }) => {
    systems.push(system)
    return 'Noted.'
  }
  const at = await inEditor([noted, noted, noted], {
    choices: (editor) => {
      const mode = editor.choose({ id: 'mode', name: 'Mode', category: 'mode', values: { ask: 'Ask', plan: 'Plan' } })
      return `${mode} ${editor.choose({ id: 'tone', name: 'Tone', values: { dry: 'Dry', warm: 'Warm' } })}`
    },
  })
  const made = await at.agent.request('session/new', { cwd: at.folder, mcpServers: [] })
  const { sessionId } = made
  expect(made.modes).toMatchObject({ currentModeId: 'ask', availableModes: [{ id: 'ask' }, { id: 'plan' }] })
  expect(made.configOptions).toMatchObject([
    { id: 'mode', currentValue: 'ask' },
    { id: 'tone', currentValue: 'dry' },
  ])
  const say = () => at.agent.request('session/prompt', { sessionId, prompt: said('Hi.') })
  await say()
  await at.agent.request('session/set_mode', { sessionId, modeId: 'plan' })
  await say()
  const set = (configId: string, value: string) =>
    at.agent.request('session/set_config_option', { sessionId, configId, value })
  expect((await set('tone', 'warm')).configOptions).toMatchObject([{ currentValue: 'plan' }, { currentValue: 'warm' }])
  await set('mode', 'ask')
  await say()
  expect(systems).toEqual(['ask dry', 'plan dry', 'ask warm'])
  for (const [id, value] of [
    ['tone', 'loud'],
    ['mood', 'dry'],
    ['tone', 'constructor'],
  ] as const) {
    await expect(set(id, value)).rejects.toMatchObject({ code: -32602 })
  }
  await expect(at.agent.request('session/set_mode', { sessionId, modeId: 'all' })).rejects.toMatchObject({
    code: -32602,
  })
  const kinds = (await at.shown()).map(({ sessionUpdate }) => sessionUpdate)
  expect(kinds).toContain('config_option_update')
  expect(kinds).toContain('current_mode_update')
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
