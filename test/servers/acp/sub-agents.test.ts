import { PassThrough, Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { createAgent } from '../../../src/index.ts'
import { serveAcp } from '../../../src/servers/acp.ts'
import { mailer, sharedFile } from '../mailer.ts'
import { choose, said } from './editor.ts'

test("SRV-03 asks an editor about a sub-agent's call, and its answer lets the call run", async () => {
  const { store } = await sharedFile()
  const send = { toolCalls: [{ id: 'c', name: 'send', arguments: { to: 'Ann' } }] }
  const below = mailer([send, 'Below is done.'])
  const call = { toolCalls: [{ id: 'h', name: 'mailer', arguments: { prompt: 'Go' } }] }
  const tools = [below.agent.asTool({ description: 'Mails.' })]
  const boss = createAgent({ name: 'boss', model: scripted([call, 'All is done.']), tools, store })
  onTestFinished(() => boss.close())
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = await serveAcp(boss, { input, output })
  onTestFinished(() => served.close())
  const asked: string[] = []
  const { agent } = acp
    .client({ name: 'editor' })
    .onRequest('session/request_permission', ({ params }) => {
      asked.push(params.toolCall.title ?? '')
      return choose('allow')
    })
    .onNotification('session/update', () => undefined)
    .connect(acp.ndJsonStream(Writable.toWeb(input), Readable.toWeb(output) as ReadableStream<Uint8Array>))
  await agent.request('initialize', { protocolVersion: 1 })
  const { sessionId } = await agent.request<acp.NewSessionResponse>('session/new', { cwd: '/', mcpServers: [] })
  const prompt = said('Have Ann mailed.')
  const { stopReason } = await agent.request<acp.PromptResponse>('session/prompt', { sessionId, prompt })
  expect([stopReason, asked, below.sent]).toEqual(['end_turn', ['send'], ['Ann']])
})
