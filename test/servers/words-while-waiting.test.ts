import { HttpAgent } from '@ag-ui/client'
import { Chat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai'
import { expect, test } from 'vitest'
import type { Agent } from '../../src/index.ts'
import { type AgUiHandlersOptions, createAgUiHandlers } from '../../src/servers/ag-ui.ts'
import { type ChatHandlersOptions, createChatHandlers } from '../../src/servers/ai-sdk.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { lastRun, listening, mailer } from './mailer.ts'

const asks = { text: 'I will.', toolCalls: [{ id: 'c', name: 'send', arguments: { to: 'Ada' } }] }
const authorize = () => ({ by: 'anna' })

/** A page of the AI SDK whose run waits for an approval. */
async function waitingChat(agent: Agent, options: ChatHandlersOptions = {}) {
  const origin = await listening(createChatHandlers(agent, { authorize, ...options }))
  const transport = new DefaultChatTransport<UIMessage>({ api: origin })
  const sendAutomaticallyWhen = lastAssistantMessageIsCompleteWithApprovalResponses
  const ended = Promise.withResolvers<void>()
  const onFinish = ({ finishReason }: { readonly finishReason?: string }) => finishReason === 'stop' && ended.resolve()
  const chat = new Chat<UIMessage>({ id: 'talk', transport, sendAutomaticallyWhen, onFinish })
  await chat.sendMessage({ text: 'Bill Ada.' })
  return { chat, origin, ended: ended.promise }
}

/** Each message of a page: its role, texts and calls. */
const shown = (messages: readonly UIMessage[]) =>
  messages.map(({ role, parts }) => [
    role,
    ...parts.flatMap((part) => {
      if (part.type === 'text') return part.text
      return part.type === 'dynamic-tool' ? `${part.toolName} ${part.state}` : []
    }),
  ])

const wordsOf = async (agent: Agent) =>
  (await (await lastRun(agent, 'talk')).messages()).flatMap((message) =>
    message.role === 'user' ? message.content.map((block) => (block.type === 'text' ? block.text : '')) : [],
  )

const kept = 'Your message is kept. The assistant reads it once the question about "send" is answered.'

test('SRV-01 keeps a message to a chat whose call waits, the page shows that, the call is approved and the model reads it', async () => {
  const { agent, sent } = mailer([asks, 'All done.'])
  const { chat, origin, ended } = await waitingChat(agent)
  await chat.sendMessage({ text: 'Make it quick.' })
  expect([chat.status, chat.error]).toEqual(['ready', undefined])
  const before = [
    ['user', 'Bill Ada.'],
    ['assistant', 'I will.', 'send approval-requested'],
    ['user', 'Make it quick.'],
  ]
  expect(shown(chat.messages)).toEqual([...before, ['assistant', kept, 'send approval-requested']])
  expect(new Set(chat.messages.map(({ id }) => id)).size).toBe(4)
  const part = chat.messages.at(-1)?.parts.find((one) => one.type === 'dynamic-tool')
  await chat.addToolApprovalResponse({ id: (part?.type === 'dynamic-tool' && part.approval?.id) || '', approved: true })
  await ended
  expect(shown(chat.messages)).toEqual([...before, ['assistant', kept, 'send output-available', 'All done.']])
  expect([sent, await wordsOf(agent)]).toEqual([['Ada'], ['Bill Ada.', 'Make it quick.']])
  const { messages } = (await (await fetch(`${origin}/talk/messages`)).json()) as { messages: UIMessage[] }
  expect(shown(messages)).toEqual([
    ['user', 'Bill Ada.'],
    ['assistant', 'I will.', 'send output-available'],
    ['user', 'Make it quick.'],
    ['assistant', 'All done.'],
  ])
  expect(messages.at(-1)?.id).toBe(chat.messages.at(-1)?.id)
})

test('SRV-01 keeps a message that is sent twice while a call waits once', async () => {
  const { agent } = mailer([asks, 'All done.'], { store: memoryStore() })
  const { origin } = await waitingChat(agent)
  const said = [{ id: 'm2', role: 'user', parts: [{ type: 'text', text: 'Quick.' }] }]
  const body = JSON.stringify({ id: 'talk', messages: said, trigger: 'submit-message' })
  const send = () => fetch(origin, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const texts = [await (await send()).text(), await (await send()).text()]
  expect(texts[1]).toBe(texts[0])
  const run = await lastRun(agent, 'talk')
  await run.approve()
  await run.settled()
  expect(await wordsOf(agent)).toEqual(['Bill Ada.', 'Quick.'])
})

test('SRV-01 with whileWaiting deny a message denies the waiting call, and the run continues with it', async () => {
  const { agent, sent } = mailer([asks, 'As you like.'])
  const { chat } = await waitingChat(agent, { whileWaiting: 'deny' })
  await chat.sendMessage({ text: 'Rather bill Bob.' })
  expect([chat.status, chat.error]).toEqual(['ready', undefined])
  expect(shown(chat.messages).slice(2)).toEqual([
    ['user', 'Rather bill Bob.'],
    ['assistant', 'send output-denied', 'As you like.'],
  ])
  expect([sent, await wordsOf(agent)]).toEqual([[], ['Bill Ada.', 'Rather bill Bob.']])
  const { decisions } = await (await lastRun(agent, 'talk')).result()
  expect(decisions).toMatchObject([{ action: 'cancel', by: 'anna' }])
})

test('SRV-01 with whileWaiting deny a message from someone who may not decide denies nothing and is not kept', async () => {
  const { agent } = mailer([asks, 'As you like.'], { store: memoryStore() })
  const { chat } = await waitingChat(agent, {
    whileWaiting: 'deny',
    authorize: (_, { action }) => action !== 'decide',
  })
  await chat.sendMessage({ text: 'Rather bill Bob.' })
  expect(chat.error?.message).toContain('not_allowed')
  const run = await lastRun(agent, 'talk')
  expect((await run.result()).status).toBe('waiting')
  expect(await agent.store?.inbox(run.id, { kinds: ['steer', 'followUp'] })).toEqual([])
})

const ask = 'The assistant waits for an answer about "send". Answer first, then send your message again.'

test('SRV-01 with whileWaiting refuse a message is refused with a text for people', async () => {
  const { agent } = mailer([asks, 'All done.'])
  const { chat } = await waitingChat(agent, { whileWaiting: 'refuse' })
  await chat.sendMessage({ text: 'Quick.' })
  expect(JSON.parse(chat.error?.message ?? '')).toEqual({ code: 'run_waiting', message: ask })
  expect((await (await lastRun(agent, 'talk')).result()).status).toBe('waiting')
})

/** A thread of AG-UI whose run waits for an approval; `send` gives the status, and the events or the refusal. */
async function waitingThread(agent: Agent, options: AgUiHandlersOptions = {}) {
  const url = await listening(createAgUiHandlers(agent, { authorize, ...options }))
  let runs = 0
  const send = async (more: object) => {
    const runId = `r${++runs}`
    const body = JSON.stringify({ threadId: 'talk', runId, messages: [], tools: [], context: [], ...more })
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const text = await response.text()
    const events = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data) as Told)
    return { status: response.status, text, events, end: events.at(-1) }
  }
  const say = (content: string) => send({ messages: [{ id: `said ${content}`, role: 'user', content }] })
  const [interrupt] = (await say('Bill Ada.')).end?.outcome?.interrupts ?? []
  return { url, send, say, interruptId: interrupt?.id ?? '' }
}

interface Told {
  readonly type: string
  readonly delta?: string
  readonly outcome?: { readonly type: string; readonly interrupts?: readonly { readonly id: string }[] }
}

const toldIn = (events: readonly Told[]) => events.map(({ delta = '' }) => delta).join('')

test("SRV-01 keeps an AG-UI client's message while its interrupt is open, and the interrupt can still be answered", async () => {
  const { agent, sent } = mailer([asks, 'All done.'], { store: memoryStore() })
  const { send, say, interruptId } = await waitingThread(agent)
  const { events, end } = await say('Make it quick.')
  expect([toldIn(events), end?.outcome?.interrupts?.map(({ id }) => id)]).toEqual([kept, [interruptId]])
  expect((await say('Make it quick.')).end?.outcome?.type).toBe('interrupt')
  const ended = await send({ resume: [{ interruptId, status: 'resolved', payload: true }] })
  expect([ended.end?.outcome?.type, toldIn(ended.events), sent]).toEqual(['success', 'All done.', ['Ada']])
  expect(await wordsOf(agent)).toEqual(['Bill Ada.', 'Make it quick.'])
})

test("SRV-01 with whileWaiting deny an AG-UI client's message denies the call, and the run continues with it", async () => {
  const { agent, sent } = mailer([asks, 'As you like.'])
  const { say } = await waitingThread(agent, { whileWaiting: 'deny' })
  const { events, end } = await say('Rather bill Bob.')
  expect([toldIn(events), end?.outcome?.type, sent]).toEqual(['As you like.', 'success', []])
  expect(await wordsOf(agent)).toEqual(['Bill Ada.', 'Rather bill Bob.'])
})

test("SRV-01 with whileWaiting refuse an AG-UI client's message is refused with a text for people", async () => {
  const { agent } = mailer([asks, 'As you like.'])
  const { say } = await waitingThread(agent, { whileWaiting: 'refuse' })
  const { status, text } = await say('Rather bill Bob.')
  expect([status, JSON.parse(text)]).toEqual([409, { code: 'run_waiting', message: ask }])
})

test('SRV-01 a message that the official AG-UI client sends together with its answer reaches the model', async () => {
  const { agent, sent } = mailer([asks, 'As you like.'], { store: memoryStore() })
  const { url, interruptId } = await waitingThread(agent)
  const client = new HttpAgent({ url, threadId: 'talk' })
  client.addMessage({ id: 'said Rather bill Bob.', role: 'user', content: 'Rather bill Bob.' })
  await client.runAgent({ resume: [{ interruptId, status: 'cancelled' }] })
  expect(client.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'As you like.' })
  expect([sent, await wordsOf(agent)]).toEqual([[], ['Bill Ada.', 'Rather bill Bob.']])
})

test('SRV-01 chat handlers refuse any other value for whileWaiting', () => {
  const { agent } = mailer([])
  const options = { authorize, whileWaiting: 'keep' as never }
  for (const make of [createChatHandlers, createAgUiHandlers]) {
    expect(() => make(agent, options)).toThrow('Expected steer, deny or refuse.')
  }
})
