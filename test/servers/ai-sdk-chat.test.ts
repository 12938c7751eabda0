import { Chat } from '@ai-sdk/react'
import {
  type ChatInit,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { heldReply } from '../../proof/support/test-agent.ts'
import type { Agent } from '../../src/index.ts'
import { type ChatHandlersOptions, createChatHandlers } from '../../src/servers/ai-sdk.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { lastRun, listening, mailer, sharedFile } from './mailer.ts'

const open: ChatHandlersOptions = { authorize: () => true, basePath: '/api/chat' }
const asks = { text: 'I will.', toolCalls: [{ id: 'c', name: 'send', arguments: { to: 'Ada' } }] }

const served = (agent: Agent, options = open) => listening(createChatHandlers(agent, options))

/** A page: `connected` resolves at the first answer of the server, `ended` once an answer of the model is whole. */
function chatAt(origin: string, init: Partial<ChatInit<UIMessage>> = {}) {
  const connected = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const fetch: typeof globalThis.fetch = async (...asked) => {
    const response = await globalThis.fetch(...asked)
    connected.resolve()
    return response
  }
  const transport = new DefaultChatTransport<UIMessage>({ api: `${origin}/api/chat`, fetch })
  const onFinish: ChatInit<UIMessage>['onFinish'] = ({ finishReason }) => finishReason === 'stop' && ended.resolve()
  const chat = new Chat<UIMessage>({ id: 'talk', transport, onFinish, ...init })
  return Object.assign(chat, { connected: connected.promise, ended: ended.promise })
}

/** A page's view of the last message: the texts, and each call with its state and output. */
function shown({ messages }: Chat<UIMessage>): readonly string[] {
  return (messages.at(-1)?.parts ?? []).flatMap((part) => {
    if (part.type === 'text') return `text ${part.text}`
    if (part.type === 'reasoning') return `thought ${part.text}`
    if (part.type !== 'dynamic-tool') return []
    const end = part.output ?? part.errorText
    return `${part.toolName} ${part.state}${end === undefined ? '' : ` ${JSON.stringify(end)}`}`
  })
}

function approvalIn({ messages }: Chat<UIMessage>): string {
  const part = messages.at(-1)?.parts.find((one) => one.type === 'dynamic-tool' && one.state === 'approval-requested')
  return (part?.type === 'dynamic-tool' && part.approval?.id) || ''
}

test("SRV-01 the official chat shows text, thoughts, calls, results and the run's usage", async () => {
  const { agent } = mailer([
    { thinking: 'Who?', text: 'Let me see.', toolCalls: [{ id: 'c', name: 'look_up', arguments: { name: 'Ada' } }] },
    { text: 'It is Ada@example.org.', chunks: 5 },
  ])
  const chat = chatAt(await served(agent))
  await chat.sendMessage({ text: 'Where is Ada?' })
  expect([chat.status, chat.error]).toEqual(['ready', undefined])
  expect(shown(chat)).toEqual([
    'thought Who?',
    'text Let me see.',
    'look_up output-available "Ada@example.org"',
    'text It is Ada@example.org.',
  ])
  const run = await lastRun(agent, 'talk')
  expect(chat.messages.at(-1)?.id).toBe(run.id)
  const { usage, cost } = await run.result()
  expect(chat.messages.at(-1)?.metadata).toEqual({ runId: run.id, status: 'done', usage, cost, turns: 2 })
})

test('SRV-01 a yes in the official chat resumes the stored run in the same message', async () => {
  const { agent, sent } = mailer([asks, 'Done.'])
  const chat = chatAt(await served(agent), {
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  await chat.sendMessage({ text: 'Bill Ada.' })
  expect([shown(chat), sent]).toEqual([['text I will.', 'send approval-requested'], []])
  await chat.addToolApprovalResponse({ id: approvalIn(chat), approved: true })
  await chat.ended
  expect(shown(chat)).toEqual(['text I will.', 'send output-available "Sent to Ada."', 'text Done.'])
  expect([sent, chat.messages.length]).toEqual([['Ada'], 2])
})

test('SRV-01 a no with its reason reaches the model, and the call is shown as denied', async () => {
  const { agent, sent } = mailer([asks, ({ messages }) => JSON.stringify(messages.at(-1)?.content)])
  const chat = chatAt(await served(agent))
  await chat.sendMessage({ text: 'Bill Ada.' })
  await chat.addToolApprovalResponse({ id: approvalIn(chat), approved: false, reason: 'Not today.' })
  await chat.sendMessage()
  expect(sent).toEqual([])
  expect(shown(chat)).toEqual(['text I will.', 'send output-denied', expect.stringContaining('Not today.')])
})

test("SRV-01 the result of a page's tool is the result of its call", async () => {
  const replies = [{ toolCalls: [{ id: 'c', name: 'place', arguments: {} }] }, 'Oslo it is.']
  const { agent } = mailer(replies)
  const chat = chatAt(await served(agent), { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls })
  await chat.sendMessage({ text: 'Where am I?' })
  expect(shown(chat)).toEqual(['place input-available'])
  const [call] = (await (await lastRun(agent, 'talk')).result()).suspended
  await chat.addToolOutput({ tool: 'place', toolCallId: call?.callId ?? '', output: 'Oslo' })
  await chat.ended
  expect(shown(chat)).toEqual(['place output-available "Oslo"', 'text Oslo it is.'])
})

test('SRV-01 a chat whose connection dropped continues reading after another process has approved', async () => {
  const { store, approve } = await sharedFile()
  const held = heldReply()
  const { agent, sent } = mailer([asks, held.reply], { store })
  const origin = await served(agent)
  const first = chatAt(origin)
  await first.sendMessage({ text: 'Bill Ada.' })
  const { stdout } = await approve((await lastRun(agent, 'talk')).id)
  expect([stdout.trim(), sent]).toEqual(['applied', []])
  const chat = chatAt(origin, { messages: first.messages.slice(0, 1) })
  const reading = chat.resumeStream()
  await chat.connected
  await agent.resume((await lastRun(agent, 'talk')).id)
  held.give('Done.')
  await reading
  expect(shown(chat)).toEqual(['text I will.', 'send output-available "Sent to Ada."', 'text Done.'])
  expect([sent, chat.messages.map(({ id }) => id)]).toEqual([['Ada'], [first.messages[0]?.id, first.messages[1]?.id]])
  await chat.resumeStream()
  expect([chat.status, chat.messages.length]).toEqual(['ready', 2])
})

test('SRV-01 sends a page that joins in the middle of an answer the message from its beginning', async () => {
  const held = heldReply()
  const { agent } = mailer([asks, held.reply])
  const origin = await served(agent)
  const chat = chatAt(origin)
  await chat.sendMessage({ text: 'Bill Ada.' })
  await chat.addToolApprovalResponse({ id: approvalIn(chat), approved: true })
  const sending = chat.sendMessage()
  await held.asked
  await chat.stop()
  await sending
  const again = chatAt(origin, { messages: chat.messages })
  const reading = again.resumeStream()
  await again.connected
  held.give('Done.')
  await reading
  expect(shown(again)).toEqual(['text I will.', 'send output-available "Sent to Ada."', 'text Done.'])
})

test('SRV-01 drops the text of a first attempt when the model is asked again', async () => {
  const cut = { text: 'Half an', error: { kind: 'network', message: 'cut' } } as const
  const model = scripted([cut, 'Whole.'], { by: 'calls' })
  const { agent } = mailer([], { model, retry: { maxRetries: 2, initialDelayMs: 1 } })
  const chat = chatAt(await served(agent))
  await chat.sendMessage({ text: 'Hi' })
  expect(shown(chat)).toEqual(['text Whole.'])
})

test('SRV-01 answers a message again in a new run, and the last message can be edited', async () => {
  const said: string[] = []
  const reply = ({ messages }: { messages: readonly unknown[] }) => {
    said.push(
      JSON.stringify(messages)
        .replace(/.*"text":"/, '')
        .replace(/".*/, ''),
    )
    return `Answer ${said.length}.`
  }
  const { agent } = mailer([reply, reply, reply])
  const chat = chatAt(await served(agent))
  await chat.sendMessage({ text: 'One?' })
  await chat.regenerate()
  expect([shown(chat), chat.messages.length]).toEqual([['text Answer 2.'], 2])
  await chat.sendMessage({ text: 'Two?', messageId: chat.messages[0]?.id ?? '' })
  expect([shown(chat), said]).toEqual([['text Answer 3.'], ['One?', 'One?', 'Two?']])
  expect((await agent.session('talk').messages()).filter(({ role }) => role === 'user')).toHaveLength(1)
})

test('SRV-01 a client that leaves does not cancel the run, and the stop route does', async () => {
  const held = heldReply()
  const { agent } = mailer([held.reply])
  const origin = await served(agent)
  const chat = chatAt(origin)
  const sending = chat.sendMessage({ text: 'Hi' })
  await held.asked
  await chat.stop()
  await sending
  const again = chatAt(origin, { messages: chat.messages })
  const reading = again.resumeStream()
  await again.connected
  const run = await lastRun(agent, 'talk')
  expect((await run.result()).status).toBe('running')
  await fetch(`${origin}/api/chat/talk/stop`, { method: 'POST' })
  await reading
  expect([again.error, (await run.settled()).outcome]).toEqual([undefined, { reason: 'cancelled' }])
})

test('SRV-01 with cancelOnClose a client that leaves cancels the run', async () => {
  const held = heldReply()
  const { agent } = mailer([held.reply])
  const chat = chatAt(await served(agent, { ...open, cancelOnClose: true }))
  const sending = chat.sendMessage({ text: 'Hi' })
  await held.asked
  const run = await lastRun(agent, 'talk')
  await chat.stop()
  await sending
  expect((await run.settled()).outcome).toEqual({ reason: 'cancelled' })
})

test('SRV-01 the official chat works through Hono and through the plain handlers', async () => {
  const { agent } = mailer(['Through Hono.', 'As they are.'])
  const handlers = createChatHandlers(agent, open)
  const app = new Hono().all('/api/chat/*', (context) => handlers.fetch(context.req.raw))
  const through = (ask: (request: Request) => Response | Promise<Response>) => {
    const fetch = async (url: string | URL | Request, init?: RequestInit) => ask(new Request(url, init))
    const transport = new DefaultChatTransport<UIMessage>({ api: 'http://localhost/api/chat', fetch })
    return new Chat<UIMessage>({ id: 'talk', transport })
  }
  const first = through((request) => app.fetch(request))
  await first.sendMessage({ text: 'Hi' })
  expect(shown(first)).toEqual(['text Through Hono.'])
  const second = through((request) => handlers.POST(request))
  await second.sendMessage({ text: 'Hi' })
  expect(shown(second)).toEqual(['text As they are.'])
})

test("SRV-01 reports a run's error in the chat, with its usage", async () => {
  const { agent } = mailer([{ error: { kind: 'api', message: 'The provider is down.' } as never }])
  const chat = chatAt(await served(agent))
  await chat.sendMessage({ text: 'Hi' })
  expect([chat.status, chat.error?.message]).toEqual(['error', 'The provider is down.'])
  expect(chat.messages.at(-1)?.metadata).toMatchObject({ status: 'done', turns: expect.any(Number) })
})
