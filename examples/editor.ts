import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'
import { z } from 'zod'
import { createAgent, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'
import { serveAcp } from '../src/servers/acp.ts'

const folder = mkdtempSync(join(tmpdir(), 'editor-'))
const store = sqliteStore(join(folder, 'runs.db'))
const sent: string[] = []
const input = z.object({ to: z.string() })
const execute = ({ to }: { to: string }) => `Mail ${sent.push(to)} is on its way.`
const mail = tool({ name: 'mail', description: 'Sends mail.', input, needs: 'approval', execute })
const model = scripted([{ toolCalls: [{ name: 'mail', arguments: { to: 'Ada' } }] }, 'Ada has mail.'])

/** An editor that starts the agent, and answers its question with an option, or never. */
async function editor(optionId?: string) {
  const [toAgent, toEditor] = [new PassThrough(), new PassThrough()]
  const make = () => createAgent({ name: 'mailer', model, tools: [mail], store })
  const { close } = await serveAcp(make, { input: toAgent, output: toEditor })
  const asked = Promise.withResolvers<void>()
  const { agent } = acp
    .client({ name: 'editor' })
    .onNotification('session/update', () => undefined)
    .onRequest('session/request_permission', () => {
      asked.resolve()
      if (optionId === undefined) return new Promise<never>(() => undefined)
      return { outcome: { outcome: 'selected', optionId } }
    })
    .connect(acp.ndJsonStream(Writable.toWeb(toAgent), Readable.toWeb(toEditor) as ReadableStream<Uint8Array>))
  await agent.request('initialize', { protocolVersion: 1 })
  return { agent, asked: asked.promise, close }
}

const at = { cwd: folder, mcpServers: [] }
try {
  const first = await editor()
  const { sessionId } = await first.agent.request<acp.NewSessionResponse>('session/new', at)
  const say = (text: string) => ({ sessionId, prompt: [{ type: 'text' as const, text }] })
  first.agent.request('session/prompt', say('Write to Ada.')).catch(() => undefined)
  await first.asked
  await first.close()
  assert.deepEqual(sent, [])
  const second = await editor('allow')
  await second.agent.request('session/load', { sessionId, ...at })
  const { stopReason } = await second.agent.request<acp.PromptResponse>('session/prompt', say('Go on.'))
  assert.deepEqual(sent, ['Ada'])
  console.log(`${stopReason}: asked again after a restart, and sent ${sent.length} mail`)
  await second.close()
} finally {
  await store.close()
  rmSync(folder, { recursive: true })
}
