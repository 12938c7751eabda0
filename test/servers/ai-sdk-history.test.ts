import { Chat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai'
import { expect, test } from 'vitest'
import { heldReply } from '../../proof/support/test-agent.ts'
import type { Agent } from '../../src/index.ts'
import { createChatHandlers } from '../../src/servers/ai-sdk.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { lastRun, listening, mailer } from './mailer.ts'

const asks = (id: string) => ({ text: 'I will.', toolCalls: [{ id, name: 'send', arguments: { to: 'Ada' } }] })
const looks = {
  thinking: 'Who?',
  text: 'Let me see.',
  toolCalls: [{ id: 'l', name: 'look_up', arguments: { name: 'Ada' } }],
}

/** A page of the official client beside the messages that a fresh one would load. */
async function paged(agent: Agent) {
  const origin = await listening(createChatHandlers(agent, { authorize: () => true, basePath: '/api/chat' }))
  const connected = Promise.withResolvers<void>()
  const resumed: typeof globalThis.fetch = async (...asked) => {
    const response = await fetch(...asked)
    if (response.url.endsWith('/stream')) connected.resolve()
    return response
  }
  const open = (messages: UIMessage[] = []) =>
    new Chat<UIMessage>({
      id: 'talk',
      messages,
      transport: new DefaultChatTransport<UIMessage>({ api: `${origin}/api/chat`, fetch: resumed }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    })
  const load = async () => {
    const response = await fetch(`${origin}/api/chat/talk/messages`)
    expect(response.status).toBe(200)
    return ((await response.json()) as { messages: UIMessage[] }).messages
  }
  return { chat: open(), open, load, connected: connected.promise }
}

function approvalIn({ messages }: Chat<UIMessage>): string {
  const part = messages.at(-1)?.parts.find((one) => one.type === 'dynamic-tool' && one.state === 'approval-requested')
  return (part?.type === 'dynamic-tool' && part.approval?.id) || ''
}

test('SRV-01 a page that loads a conversation gets the streamed messages, under their ids', async () => {
  const { agent } = mailer([looks, { text: 'It is Ada@example.org.', chunks: 5 }, 'And more.'])
  const { chat, load } = await paged(agent)
  expect(await load()).toEqual([])
  await chat.sendMessage({ text: 'Where is Ada?' })
  expect(await load()).toEqual(chat.messages)
  await chat.sendMessage({
    parts: [
      { type: 'text', text: 'Look at' },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' },
    ],
  })
  expect(await load()).toEqual(chat.messages)
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
})

test('SRV-01 a page that loads a waiting call can answer it, and then loads it as answered', async () => {
  const { agent, sent } = mailer([asks('a'), asks('b'), 'Done.'])
  const { chat, open, load } = await paged(agent)
  await chat.sendMessage({ text: 'Bill Ada.' })
  const waiting = await load()
  expect(waiting).toEqual(chat.messages)
  const again = open(waiting)
  await again.addToolApprovalResponse({ id: approvalIn(again), approved: true })
  await expect.poll(() => approvalIn(again)).not.toBe('')
  await again.addToolApprovalResponse({ id: approvalIn(again), approved: false, reason: 'Once is enough.' })
  await expect.poll(() => again.messages.at(-1)?.metadata).toMatchObject({ status: 'done' })
  expect(await load()).toEqual(again.messages)
  expect([sent, again.messages.length]).toEqual([['Ada'], 2])
})

test('SRV-01 a page loads only the last answer of a conversation that was answered again, with edited messages', async () => {
  const { agent } = mailer([], { model: scripted(['One.', 'Two.', 'Three.', 'Four.'], { by: 'calls' }) })
  const { chat, load } = await paged(agent)
  await chat.sendMessage({ text: 'First?' })
  await chat.sendMessage({ text: 'Second?' })
  await chat.regenerate()
  expect(await load()).toEqual(chat.messages)
  await chat.sendMessage({ text: 'Other?', messageId: chat.messages[2]?.id ?? '' })
  const loaded = await load()
  expect(loaded).toEqual(chat.messages)
  expect(JSON.stringify(loaded)).not.toMatch(/Two|Three|Second/)
})

test('SRV-01 a page that loads in the middle of an answer continues the message that it has', async () => {
  const held = heldReply()
  const { agent } = mailer([looks, held.reply])
  const { chat, open, load, connected } = await paged(agent)
  const sending = chat.sendMessage({ text: 'Where is Ada?' })
  await held.asked
  const again = open(await load())
  expect(again.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  const reading = again.resumeStream()
  await connected
  held.give('There.')
  await Promise.all([sending, reading])
  expect(again.messages).toEqual(chat.messages)
  expect(await load()).toEqual(chat.messages)
})

test("SRV-01 loads a run's error as it was streamed", async () => {
  const cut = { text: 'Half an', error: { kind: 'network', message: 'cut' } } as const
  const { agent } = mailer([], {
    model: scripted([cut, 'Whole.'], { by: 'calls' }),
    retry: { maxRetries: 2, initialDelayMs: 1 },
  })
  const { chat, load } = await paged(agent)
  await chat.sendMessage({ text: 'Hi' })
  expect(await load()).toEqual(chat.messages)
  const run = await lastRun(agent, 'talk')
  expect((await load()).at(-1)?.id).toBe(run.id)
})

test('SRV-01 only those who may read a conversation get its messages', async () => {
  const { agent } = mailer(['Hi.'])
  const asked: unknown[] = []
  const as = (tenant: string) =>
    createChatHandlers(agent, {
      authorize: (_, what) => {
        asked.push(what)
        return { filter: { labels: { tenant } } }
      },
    })
  await (await agent.session('talk').prompt('Hi', { labels: { tenant: 'a' } })).settled()
  const read = async (tenant: string) => (await as(tenant).fetch(new Request('http://x/talk/messages'))).status
  expect([await read('a'), await read('b')]).toEqual([200, 404])
  expect(asked).toEqual([1, 2].map(() => ({ action: 'read', sessionId: 'talk' })))
  const unguarded = createChatHandlers(agent)
  expect((await unguarded.fetch(new Request('http://shop.example/talk/messages'))).status).toBe(403)
})

test('SRV-01 loads the last hundred runs of a long conversation', async () => {
  const { agent } = mailer([], { model: scripted(() => 'Yes.') })
  const session = agent.session('talk')
  for (let count = 0; count < 102; count++) await (await session.prompt(`${count}?`)).settled()
  const { load } = await paged(agent)
  const loaded = await load()
  expect([loaded.length, loaded[0]?.parts]).toEqual([200, [{ type: 'text', text: '2?' }]])
})
