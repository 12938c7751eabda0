import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { PassThrough, Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { type Agent, createAgent, type Model, type Store } from '../../../src/index.ts'
import { type EditorSession, serveAcp } from '../../../src/servers/acp.ts'
import { choose } from './editor.ts'

/** The program of an editor: it has a file with changes that are not saved, runs terminals, and allows everything. */
export async function inEditor(
  script: readonly ScriptedReply[],
  given: {
    readonly tools?: (editor: EditorSession) => Parameters<typeof createAgent>[0]['tools']
    readonly choices?: (editor: EditorSession) => string
    readonly programs?: readonly string[]
    readonly capabilities?: acp.ClientCapabilities
    readonly store?: Store
    /** Awaited before each agent is made. */
    readonly ready?: () => Promise<unknown>
    readonly answer?: () => Promise<acp.RequestPermissionResponse>
  },
) {
  const folder = await temporaryFolder()
  const { store = memoryStore() } = given
  const made: Agent[] = []
  const buffers = new Map<string, string>()
  const terminals = new Map<string, Promise<{ output: string; exitCode: number | null }>>()
  const updates: acp.SessionUpdate[] = []
  const asked: acp.RequestPermissionRequest[] = []
  const model: Model = {
    ...scripted(script),
    contextWindow: 1_000,
    prices: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  }
  const make = async (editor: EditorSession) => {
    await given.ready?.()
    const instructions = given.choices?.(editor) ?? ''
    const agent = createAgent({ name: 'coder', model, store, instructions, tools: given.tools?.(editor) ?? [] })
    made.push(agent)
    return agent
  }
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = await serveAcp(make, { input, output, programs: given.programs ?? [] })
  onTestFinished(() => served.close())
  const { agent } = acp
    .client({ name: 'editor' })
    .onRequest('session/request_permission', ({ params }) => {
      asked.push(params)
      return given.answer?.() ?? choose('allow')
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
  return { agent, folder, buffers, asked, shown, terminals, made, close: () => served.close() }
}

export const calling = (name: string, given: object) => ({ toolCalls: [{ id: name, name, arguments: { ...given } }] })
