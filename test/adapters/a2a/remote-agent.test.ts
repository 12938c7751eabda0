import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { AgentCard, TaskState } from '@a2a-js/sdk'
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { heldReply } from '../../../proof/support/test-agent.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { withoutPackage } from '../../../proof/support/without-package.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { remoteAgent, type RemoteAgentOptions } from '../../../src/adapters/tools/a2a.ts'
import { accountKind, chargeKind } from '../../../src/core/domain/account.ts'
import { rowOf } from '../../../src/core/domain/records/record-read.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { type AgentOptions, createAgent, type Store, tool } from '../../../src/index.ts'
import { mailer, sharedFile } from '../../servers/mailer.ts'
import { serve } from '../../servers/a2a/client.ts'
import { cardAt } from './card-at.ts'

const headers = { authorization: 'Bearer boss-token' }
const asking = { toolCalls: [{ id: 'm', name: 'mailer', arguments: { prompt: 'Mail Ann.' } }] }
const send = (to: string, id = 'c') => ({ id, name: 'send', arguments: { to } })

/** A mailer that is served over A2A. */
async function elsewhere(replies: readonly ScriptedReply[], options: Partial<AgentOptions> = {}) {
  const { store } = await sharedFile()
  const { agent, sent } = mailer(replies, { store, ...options })
  return { agent, sent, ...(await serve(agent)) }
}

/** An agent with a remote one as its tool. */
function bossOf(url: string, options: RemoteAgentOptions = {}, more: Partial<AgentOptions> = {}) {
  const model = scripted([asking, 'All is done.'])
  const boss = createAgent({ name: 'boss', model, tools: [remoteAgent(url, { headers, ...options })], ...more })
  onTestFinished(() => boss.close())
  return boss
}

/** Resolves once the call has stored its task. */
async function stepStored(store: Store, runId: string): Promise<void> {
  const isStored = async () => (await store.calls(runId)).some(({ record }) => record.steps !== undefined)
  while (!(await isStored())) await new Promise((resolve) => setImmediate(resolve))
}

const resultIn = (messages: readonly object[]) => messages.find((one) => Reflect.get(one, 'role') === 'toolResult')

test("SRV-02 a remote agent is a tool with its card's name and description, and its answer is the result", async () => {
  const { url, agent } = await elsewhere(['It is mailed.'])
  const boss = bossOf(url)
  expect(await boss.tool('mailer')).toMatchObject({ name: 'mailer', description: expect.stringContaining('mailer') })
  const { status, messages } = await boss.run('Have Ann mailed.')
  expect([status, resultIn(messages)]).toMatchObject(['done', { content: [{ text: 'It is mailed.' }], isError: false }])
  const [begun] = await agent.runs()
  expect(begun).toMatchObject({ prompt: 'Mail Ann.', labels: { a2a: 'boss-token' } })
})

test("SRV-02 a remote question suspends the call, and another process's approval reaches it after a restart", async () => {
  const remote = await elsewhere([{ toolCalls: [send('Ann')] }, 'It is mailed.'])
  const path = `${await temporaryFolder()}/boss.db`
  const first = bossOf(remote.url, {}, { store: sqliteStore(path) })
  const { runId, suspended } = await first.run('Have Ann mailed.')
  expect(suspended).toMatchObject([{ callId: '1.m', suspension: { reason: 'approval' } }])
  expect(suspended[0]?.suspension?.message).toContain('The agent wants to call "send" with {"to":"Ann"}')
  await first.close()
  await first.store?.close()

  const store = sqliteStore(path)
  onTestFinished(() => store.close())
  const second = bossOf(remote.url, {}, { store })
  const run = await second.load(runId)
  expect((await run.approve()).answer).toBe('applied')
  const { text, messages } = await run.settled()
  expect([text, resultIn(messages), remote.sent]).toMatchObject([
    'All is done.',
    { content: [{ text: 'It is mailed.' }] },
    ['Ann'],
  ])
  expect((await remote.agent.runs()).length).toBe(1)
})

test('SRV-02 a text answer and answers to several calls reach the remote agent; a refused answer is requested again', async () => {
  const remote = await elsewhere([{ toolCalls: [send('Ann', 'a'), send('Bob', 'b')] }, 'One is mailed.'])
  const run = bossOf(remote.url).start('Have both mailed.')
  await run.settled()
  await run.edit(undefined, { prompt: 'approve' })
  const { suspended } = await run.settled()
  expect(suspended[0]?.suspension?.message).toContain(
    'The answer was not accepted: The message does not say which call',
  )
  const answers = [
    { callId: '1.a', action: 'cancel' },
    { callId: '1.b', action: 'resume' },
  ]
  await run.edit(undefined, { prompt: '', answers })
  expect([(await run.settled()).text, remote.sent]).toEqual(['All is done.', ['Bob']])
})

test('SRV-02 does not approve a question for a value without a text', async () => {
  const ask = tool({
    name: 'ask',
    description: 'Asks.',
    input: z.object({}),
    effects: 'none',
    execute: (_, { suspend }) => suspend({ reason: 'input', message: 'Which city?' }),
  })
  const remote = await elsewhere([{ toolCalls: [{ id: 'c', name: 'ask', arguments: {} }] }, 'Thanks.'], {
    tools: [ask],
  })
  const run = bossOf(remote.url).start('Go.')
  await run.settled()
  await run.approve()
  const { suspended } = await run.settled()
  expect(suspended[0]?.suspension?.message).toMatch(/none was given[^]*Which city\?/)
  await run.edit(undefined, { prompt: 'Oslo' })
  expect((await run.settled()).text).toBe('All is done.')
  const [task] = await remote.agent.runs()
  const { messages } = await (await remote.agent.load(task?.id ?? '')).result()
  expect(resultIn(messages)).toMatchObject({ content: [{ text: 'Oslo' }] })
})

test.for(['is begun', 'works'] as const)(
  'SRV-02 a process that leaves its run while the task %s keeps the task, and the next process finds it',
  async (when) => {
    const held = heldReply()
    const remote = await elsewhere([held.reply])
    const store = sqliteStore(`${await temporaryFolder()}/boss.db`)
    onTestFinished(() => store.close())
    const run = bossOf(remote.url, {}, { store }).start('Have Ann mailed.')
    const driving = run.settled().catch(() => undefined)
    await held.asked
    if (when === 'works') await stepStored(store, run.id)
    await run.detach()
    await driving
    const { run: taken } = await bossOf(remote.url, {}, { store }).resume(run.id)
    const settled = taken.settled()
    held.give('It is mailed.')
    const { text, messages } = await settled
    expect([text, resultIn(messages)]).toMatchObject(['All is done.', { content: [{ text: 'It is mailed.' }] }])
    expect(await remote.agent.runs()).toMatchObject([{ status: 'done' }])
  },
)

test.for(['is begun', 'works'] as const)(
  'SRV-02 cancelling a call while its task %s cancels the task',
  async (when) => {
    const held = heldReply()
    const remote = await elsewhere([held.reply])
    const store = sqliteStore(`${await temporaryFolder()}/boss.db`)
    onTestFinished(() => store.close())
    const ended = new Promise<string>((resolve) => {
      remote.agent.on((event) => event.type === 'run.ended' && resolve(event.outcome.reason))
    })
    const run = bossOf(remote.url, {}, { store }).start('Have Ann mailed.')
    const settled = run.settled()
    await held.asked
    if (when === 'works') await stepStored(store, run.id)
    await run.cancel()
    await settled
    expect(await ended).toBe('cancelled')
  },
)

test('SRV-02 a foreign server that does not recognise a message id receives the message once, even if its answer was lost', async () => {
  const tasks: { id: string; messageId: string }[] = []
  const executor: AgentExecutor = {
    async execute({ taskId, contextId, userMessage }, bus) {
      tasks.push({ id: taskId, messageId: userMessage.messageId })
      const status = { state: TaskState.TASK_STATE_COMPLETED, message: undefined, timestamp: undefined }
      const about = { metadata: undefined }
      bus.publish(AgentEvent.task({ id: taskId, contextId, status, artifacts: [], history: [userMessage], ...about }))
      bus.finished()
    },
    cancelTask: async () => undefined,
  }
  let origin = ''
  const handler = () =>
    new JsonRpcTransportHandler(
      new DefaultRequestHandler(AgentCard.fromJSON(cardAt(`${origin}/`)), tasksKept, executor),
    )
  const tasksKept = new InMemoryTaskStore()
  let isLost = false
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method === 'GET') return response.end(JSON.stringify(cardAt(`${origin}/`)))
      const body = await new Response(Readable.toWeb(request) as ReadableStream).text()
      const answer = await handler().handle(body, new ServerCallContext({ requestedVersion: '1.0' }))
      if (body.includes('SendMessage') && !isLost) {
        isLost = true
        return response.destroy()
      }
      response.end(JSON.stringify(answer))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const boss = createAgent({
    name: 'boss',
    model: scripted([{ toolCalls: [{ id: 'm', name: 'odd', arguments: { prompt: 'Go' } }] }, 'Done.']),
    tools: [remoteAgent(origin)],
  })
  onTestFinished(() => boss.close())
  expect((await boss.run('Go.')).text).toBe('Done.')
  expect([isLost, tasks.length]).toEqual([true, 1])
})

test("SRV-02 the parent's rules apply to the call that starts a remote agent", async () => {
  const remote = await elsewhere(['It is mailed.'])
  const denied = await bossOf(remote.url, {}, { permissions: { rules: { deny: ['mailer'] } } }).run('Go.')
  expect(resultIn(denied.messages)).toMatchObject({ isError: true })
  const asked = await bossOf(remote.url, { needs: 'approval' }).run('Go.')
  expect(asked.suspended).toMatchObject([{ toolName: 'mailer' }])
  expect(await remote.agent.runs()).toEqual([])
})

test('SRV-02 a task that fails remotely is a failed result', async () => {
  const { url } = await elsewhere([])
  const { messages } = await bossOf(url).run('Go.')
  expect(resultIn(messages)).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('failed') }] })
})

test('SRV-02 a credential that the remote agent repeats does not reach the transcript', async () => {
  const { url } = await elsewhere(['You are boss-token.'])
  const { messages } = await bossOf(url).run('Go.')
  expect(JSON.stringify(messages)).not.toContain('boss-token')
})

test('SRV-02 without its package a remote agent says what to install', () => {
  const said = withoutPackage(
    '@a2a-js/',
    `const { remoteAgent } = await import('./src/adapters/tools/a2a.ts')
    await remoteAgent('http://127.0.0.1:1').tools().catch((error) => console.log(error.code, error.message))`,
  )
  expect(said).toContain('npm install @a2a-js/sdk')
})

test('SRV-02 the cost of a remote task is told as unknown, and the account holds and charges the own requests alone', async () => {
  const { url } = await elsewhere(['It is mailed.'])
  const store = memoryStore()
  const usage = { input: 100, output: 10 }
  const model = {
    ...scripted([
      { ...asking, usage },
      { text: 'All is done.', usage },
    ]),
    maxTokens: 50,
    prices: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  }
  const helper = createAgent({ name: 'helper', model, store })
  onTestFinished(() => helper.close())
  const tools = [remoteAgent(url, { headers }), helper.asTool({ description: 'Helps.' })]
  const { messages, cost, runId } = await bossOf(url, {}, { model, store, tools, limits: { maxCost: 1 } }).run('Go.')
  expect(resultIn(messages)).toMatchObject({ details: { a2a: { cost: 'unknown' } } })
  const found = await store.records([rowOf(accountKind, runId), rowOf(chargeKind, JSON.stringify([runId, runId]))])
  const nanos = Math.round(cost * 1e9)
  expect(nanos).toBe(220_000)
  expect(found.row(accountKind, runId)?.body).toMatchObject({ charged: { nanos }, held: { nanos: 0 } })
  expect(found.row(chargeKind, JSON.stringify([runId, runId]))?.body).toMatchObject({
    settled: { nanos },
    unknown: { nanos: 0 },
  })
})
