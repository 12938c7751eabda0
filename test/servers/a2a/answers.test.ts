import { type Task, TaskState } from '@a2a-js/sdk'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { heldReply } from '../../../proof/support/test-agent.ts'
import { withoutPackage } from '../../../proof/support/without-package.ts'
import type { ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { type AgentOptions, tool } from '../../../src/index.ts'
import type { A2aHandlersOptions } from '../../../src/servers/a2a.ts'
import { mailer, sharedFile } from '../mailer.ts'
import { allOf, answerOf, asTask, configured, connect, saying, serve } from './client.ts'

const send = (to: string, id = 'c') => ({ id, name: 'send', arguments: { to } })

async function open(
  replies: readonly ScriptedReply[],
  options: A2aHandlersOptions = {},
  agentOptions: Partial<AgentOptions> = {},
) {
  const { store, approve } = await sharedFile()
  const { agent, sent } = mailer(replies, { store, ...agentOptions })
  const { url } = await serve(agent, options)
  const client = await connect(url)
  const say = async (...given: Parameters<typeof saying>) => asTask(await client.sendMessage(saying(...given)))
  return { agent, sent, url, client, say, approve }
}

const stateOf = ({ status }: Task) => status?.state
const codeOf = (code: number) => ({ envelopeCode: code })
const { TASK_STATE_COMPLETED: completed, TASK_STATE_WORKING: working, TASK_STATE_INPUT_REQUIRED: asked } = TaskState

test('SRV-02 answers several open calls one by one, by data parts, and each follows its decision', async () => {
  const { say, sent, client } = await open([{ toolCalls: [send('Ann', 'a'), send('Bob', 'b')] }, 'Done.'])
  const { id: taskId } = await say('Mail both.')
  for (const unclear of ['approve', 'deny', 'yes to all']) {
    await expect(client.sendMessage(saying(unclear, { taskId }))).rejects.toMatchObject(codeOf(-32602))
  }
  expect(sent).toEqual([])
  const after = await say(undefined, { taskId, data: { callId: '1.a', action: 'cancel', reason: 'Not now.' } })
  expect(stateOf(after)).toBe(asked)
  expect(after.status?.message?.parts.slice(1).map(({ content }) => content?.value)).toMatchObject([{ callId: '1.b' }])
  const done = await say(undefined, { taskId, data: { callId: '1.b', action: 'resume', input: { to: 'Cleo' } } })
  expect([stateOf(done), sent]).toEqual([completed, ['Cleo']])
})

test.for([
  ['Yes.', {}],
  ['approved', {}],
  ['no', {}],
  [undefined, { callId: '1.c', action: 'approve' }],
  [undefined, { callId: '1.c', action: 'resume', approved: false }],
  [undefined, { callId: '1.x', action: 'resume' }],
  [undefined, { callId: '1.c', suspensionId: 'sus_old', action: 'resume' }],
  [undefined, { callId: '1.c', action: 'resume', input: { to: 7 } }],
  [undefined, { callId: '1.c', action: 'resume', scope: 'all' }],
] as const)('SRV-02 refuses the unclear answer %o %o, and the call still waits', async ([text, data]) => {
  const { say, sent, client } = await open([{ toolCalls: [send('Ann')] }, 'Done.'])
  const { id: taskId } = await say('Mail Ann.')
  const answer = saying(text, { taskId, ...(text === undefined ? { data } : {}) })
  await expect(client.sendMessage(answer)).rejects.toMatchObject(codeOf(-32602))
  expect([sent, stateOf(await client.getTask({ tenant: '', id: taskId }))]).toEqual([[], asked])
})

test('SRV-02 a text answers a call that waits for a value', async () => {
  const ask = tool({
    name: 'ask',
    description: 'Asks.',
    input: z.object({}),
    effects: 'none',
    execute: (_, context) =>
      context.suspend({ reason: 'input', message: 'How old?', responseSchema: { type: 'number' } }),
  })
  const script = [{ toolCalls: [{ id: 'c', name: 'ask', arguments: {} }] }, 'Thanks.']
  const { say, agent } = await open(script, {}, { tools: [ask] })
  const { id: taskId, status } = await say('Ask me.')
  expect(status?.message?.parts[0]?.content?.value).toContain('How old?')
  expect(stateOf(await say('42', { taskId }))).toBe(completed)
  const { messages } = await (await agent.load(taskId)).result()
  expect(messages.find(({ role }) => role === 'toolResult')).toMatchObject({ content: [{ text: '42' }] })
})

test('SRV-02 a message to a working task steers it once, even if it arrives twice, and a message to a finished task is refused', async () => {
  const held = heldReply()
  const { client, agent } = await open([held.reply, 'Then.'])
  const begun = asTask(await client.sendMessage(saying('Begin.', {}, configured({ returnImmediately: true }))))
  await held.asked
  const steering = saying('In French.', { taskId: begun.id }, configured({ returnImmediately: true }))
  expect(stateOf(asTask(await client.sendMessage(steering)))).toBe(working)
  expect(asTask(await client.sendMessage(steering)).id).toBe(begun.id)
  held.give('First.')
  const { messages } = await (await agent.load(begun.id)).settled()
  const texts = messages.flatMap((one) =>
    one.role === 'user' ? one.content.map((block) => Reflect.get(block, 'text')) : [],
  )
  expect(texts).toEqual(['Begin.', 'In French.'])
  await expect(client.sendMessage(saying('More.', { taskId: begun.id }))).rejects.toMatchObject(codeOf(-32004))
})

test('SRV-02 a message that arrives again begins no second run and decides nothing again', async () => {
  const { client, agent, sent, url } = await open([{ toolCalls: [send('Ann')] }, 'Sent.', 'Again.'])
  const first = saying('Mail Ann.', { messageId: 'one' })
  const tasks = await Promise.all([1, 2, 3].map(async () => asTask(await client.sendMessage(first)).id))
  const [id = ''] = tasks
  expect(new Set(tasks).size).toBe(1)
  const yes = saying('approve', { taskId: id, messageId: 'two' })
  expect(stateOf(asTask(await client.sendMessage(yes)))).toBe(completed)
  expect(asTask(await client.sendMessage(yes)).id).toBe(id)
  const { contextId } = asTask(await client.sendMessage(first))
  await client.sendMessage(saying('And now?', { contextId }))
  expect(asTask(await client.sendMessage(first)).id).toBe(id)
  await expect(client.sendMessage(saying('Another.', { messageId: 'one' }))).rejects.toMatchObject(codeOf(-32602))
  expect([sent, (await agent.runs()).length]).toEqual([['Ann'], 2])
  const other = asTask(await (await connect(url, 'bob')).sendMessage(first))
  expect(other.id).not.toBe(id)
})

test('SRV-02 refuses a second task in a context with an open task', async () => {
  const { say, client } = await open([{ toolCalls: [send('Ann')] }, 'Sent.'])
  const { contextId } = await say('Mail Ann.')
  await expect(client.sendMessage(saying('Hi', { contextId }))).rejects.toMatchObject(codeOf(-32004))
})

test('SRV-02 a subscription to a waiting task continues after another process has approved', async () => {
  const { say, client, approve, sent } = await open([{ toolCalls: [send('Ann')] }, 'Sent.'])
  const { id } = await say('Mail Ann.')
  const stream = client.resubscribeTask({ tenant: '', id })
  await stream.next()
  const rest = allOf(stream)
  expect((await approve(id)).stdout).toBe('applied')
  expect((await rest).at(-1)).toMatchObject({ value: { status: { state: completed } } })
  expect(sent).toEqual(['Ann'])
})

test('SRV-02 shows a task that only waits for a service as working, and gives the reason of a failed or refused one', async () => {
  const place = { toolCalls: [{ id: 'c', name: 'place', arguments: {} }] }
  const { client } = await open([place])
  const begun = asTask(await client.sendMessage(saying('Where?', {}, configured({ returnImmediately: true }))))
  const stream = client.resubscribeTask({ tenant: '', id: begun.id })
  await stream.next()
  await stream.return()
  expect(stateOf(await client.getTask({ tenant: '', id: begun.id }))).toBe(working)
  const cancelled = await client.cancelTask({ tenant: '', id: begun.id, metadata: undefined })
  expect(stateOf(cancelled)).toBe(TaskState.TASK_STATE_CANCELED)
  const { say } = await open([], {}, { plugins: [{ name: 'no', filterInput: () => ({ reject: 'Not that.' }) }] })
  const refused = await say('Hi')
  expect([stateOf(refused), refused.status?.message?.parts[0]?.content?.value]).toEqual([
    TaskState.TASK_STATE_REJECTED,
    'Not that.',
  ])
  const failed = await (await open([])).say('Hi')
  expect(stateOf(failed)).toBe(TaskState.TASK_STATE_FAILED)
})

test('SRV-02 sends structured output as a data part next to the text', async () => {
  const { say } = await open(['{"total":3}'], {}, { output: z.object({ total: z.number() }) })
  expect(answerOf(await say('How many?'))).toEqual(['{"total":3}', { total: 3 }])
})

test("SRV-02 the card may be public, and contains the application's description", async () => {
  const card = { description: 'Mails.', securitySchemes: { token: { httpAuthSecurityScheme: { scheme: 'Bearer' } } } }
  const { url } = await open([], { card, cardReads: 'anyone', origin: 'https://mail.example' })
  const found: unknown = await (await fetch(`${url}/.well-known/agent-card.json`)).json()
  expect(found).toMatchObject({ ...card, supportedInterfaces: [{ url: 'https://mail.example/' }] })
})

test('SRV-02 leaves questions to others if authorize permits nobody to decide', async () => {
  const { say, client, sent } = await open([{ toolCalls: [send('Ann')] }, 'Sent.'], {
    authorize: (_, { action }) => action !== 'decide' && { by: 'ann' },
  })
  const { id: taskId } = await say('Mail Ann.')
  await expect(client.sendMessage(saying('approve', { taskId }))).rejects.toThrow(/403/)
  expect(sent).toEqual([])
})

test('SRV-02 without its package the server says what to install', () => {
  const said = withoutPackage(
    '@a2a-js/',
    `const { createA2aHandlers } = await import('./src/servers/a2a.ts')
    await createA2aHandlers({}).catch((error) => console.log(error.code, error.message))`,
  )
  expect(said).toContain('package_missing')
  expect(said).toContain('npm install @a2a-js/sdk')
})

test("SRV-02 answers a sub-agent's question from the task, under the sub-agent's own rules", async () => {
  const below = mailer([{ toolCalls: [send('Ann')] }, 'Below is done.'])
  const { say, sent } = await open(
    [{ toolCalls: [{ id: 'h', name: 'mailer', arguments: { prompt: 'Go' } }] }, 'Done.'],
    {},
    {
      name: 'boss',
      tools: [below.agent.asTool({ description: 'Mails.' })],
    },
  )
  const { id: taskId, status } = await say('Have Ann mailed.')
  const question = status?.message?.parts[1]?.content?.value as { readonly callId: string; readonly toolName: string }
  expect(question).toMatchObject({ callId: expect.stringMatching(/\/1\.c$/), toolName: 'send' })
  expect(stateOf(await say(undefined, { taskId, data: { ...pick(question), action: 'resume' } }))).toBe(completed)
  expect([below.sent, sent]).toEqual([['Ann'], []])
})

const pick = ({ callId }: { readonly callId: string }) => ({ callId })
