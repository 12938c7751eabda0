import { type StreamResponse, TaskState } from '@a2a-js/sdk'
import { expect, test } from 'vitest'
import { heldReply } from '../../../proof/support/test-agent.ts'
import { textOf, userMessage } from '../../../src/index.ts'
import type { ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { mailer, sharedFile } from '../mailer.ts'
import { allOf, answerOf, asTask, configured, connect, saying, serve } from './client.ts'

const sending = { toolCalls: [{ id: 'c', name: 'send', arguments: { to: 'Ann' } }] }
const script = [sending, 'It is sent.']

/** Serves a mailer, and gives the official client, and requests as they are on the wire. */
async function open(replies: readonly ScriptedReply[]) {
  const { store } = await sharedFile()
  const { agent, sent } = mailer(replies, { store })
  const { url } = await serve(agent)
  const client = await connect(url)
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', authorization: 'Bearer ann' }
  const post = (body: string, more: Readonly<Record<string, string>> = {}) =>
    fetch(url, { method: 'POST', body, headers: { ...headers, ...more } })
  const rpc = async (method: string, params: object, more?: Readonly<Record<string, string>>) => {
    const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }), more)
    return (await response.json()) as { readonly id: unknown; readonly result?: unknown; readonly error?: RpcError }
  }
  return { agent, sent, url, client, post, rpc }
}

interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: readonly { readonly '@type': string; readonly reason: string }[]
}

const statesIn = (payloads: readonly StreamResponse['payload'][]) =>
  payloads.flatMap((payload) =>
    payload?.$case === 'task' || payload?.$case === 'statusUpdate' ? [payload.value.status?.state] : [],
  )

const { TASK_STATE_COMPLETED: completed, TASK_STATE_WORKING: working, TASK_STATE_INPUT_REQUIRED: asked } = TaskState

test('SRV-02 3.1.1 3.2.2 a blocking request resolves when the task is over, with its artifacts', async () => {
  const { client } = await open(['Hello.'])
  const task = asTask(await client.sendMessage(saying('Hi')))
  expect([task.status?.state, answerOf(task)]).toEqual([completed, ['Hello.']])
  expect(task.history.map(({ parts }) => parts[0]?.content?.value)).toEqual(['Hi', 'Hello.'])
})

test('SRV-02 3.2.2 a request that returns immediately resolves while the task works', async () => {
  const held = heldReply()
  const { client } = await open([held.reply])
  const task = asTask(await client.sendMessage(saying('Hi', {}, configured({ returnImmediately: true }))))
  expect(task.status?.state).toBe(working)
  held.give('Hello.')
})

test('SRV-02 3.1.2 a stream begins with the task and closes when the task is over', async () => {
  const held = heldReply()
  const { client } = await open([{ text: 'I mail.', ...sending }, held.reply])
  const first = await allOf(client.sendMessageStream(saying('Mail Ann.')))
  expect(first[0]?.$case).toBe('task')
  expect(statesIn(first).at(-1)).toBe(asked)
  const task = first[0]?.$case === 'task' ? first[0].value : undefined
  const stream = client.sendMessageStream(saying('approve', { taskId: task?.id ?? '' }))
  const begun = (await stream.next()).value as StreamResponse
  held.give('It is sent.')
  const second = [begun.payload, ...(await allOf(stream))]
  expect(second[0]?.$case).toBe('task')
  expect(second.map((payload) => payload?.$case).slice(-2)).toEqual(['artifactUpdate', 'statusUpdate'])
  expect(statesIn(second).at(-1)).toBe(completed)
})

test('SRV-02 3.1.6 3.5.2 two subscriptions begin with the task and get the same events, even after a third has left', async () => {
  const { agent, client } = await open(script)
  const { id } = asTask(await client.sendMessage(saying('Mail Ann.')))
  const streams = [1, 2, 3].map(() => client.resubscribeTask({ tenant: '', id }))
  const begun = await Promise.all(streams.map((stream) => stream.next()))
  expect(begun.map(({ value }) => (value as StreamResponse).payload?.$case)).toEqual(['task', 'task', 'task'])
  const [left, ...others] = streams
  await left?.return()
  await (await agent.load(id)).approve()
  const [one, other] = await Promise.all(others.map(allOf))
  expect(statesIn(one ?? [])).toEqual([working, completed])
  expect(other).toEqual(one)
  await expect(client.resubscribeTask({ tenant: '', id }).next()).rejects.toMatchObject({ envelopeCode: -32004 })
})

test("SRV-02 3.1.4 13.1 a list has only the caller's tasks, latest update first, in pages, without artifacts", async () => {
  const { agent, url, client, rpc } = await open([
    ({ messages }) =>
      textOf(messages.findLast(({ role }) => role === 'user') ?? userMessage('')) === 'one' ? sending : 'Hello.',
  ])
  const ids: string[] = []
  for (const text of ['one', 'two', 'three']) ids.push(asTask(await client.sendMessage(saying(text))).id)
  await (await connect(url, 'bob')).sendMessage(saying('four'))
  await agent.run('not over this protocol').catch(() => undefined)
  await client.cancelTask({ tenant: '', id: ids[0] ?? '', metadata: undefined })
  const order = [ids[0], ids[2], ids[1]]
  const list = async (given: object) =>
    (await rpc('ListTasks', given)).result as {
      readonly tasks: readonly { readonly id: string; readonly status: { readonly state: string } }[]
      readonly nextPageToken: string
      readonly totalSize: number
      readonly pageSize: number
    }
  const all = await list({})
  expect([all.tasks.map(({ id }) => id), all.nextPageToken, all.totalSize]).toEqual([order, '', 3])
  expect(all.tasks.every((task) => !('artifacts' in task))).toBe(true)
  expect(all.tasks[0]?.status).toMatchObject({ state: 'TASK_STATE_CANCELED', timestamp: expect.stringMatching(/Z$/) })
  const first = await list({ pageSize: 2, includeArtifacts: true })
  expect([first.tasks.map(({ id }) => id), first.pageSize]).toEqual([order.slice(0, 2), 2])
  expect(first.tasks[1]).toMatchObject({ artifacts: [{ artifactId: 'answer', parts: [{ text: 'Hello.' }] }] })
  const second = await list({ pageSize: 2, pageToken: first.nextPageToken })
  expect([second.tasks.map(({ id }) => id), second.nextPageToken]).toEqual([order.slice(2), ''])
  expect((await list({ status: 'TASK_STATE_COMPLETED' })).totalSize).toBe(2)
  expect((await rpc('ListTasks', { pageToken: 'x' })).error?.code).toBe(-32602)
  expect((await rpc('ListTasks', { pageSize: 101 })).error?.code).toBe(-32602)
})

test('SRV-02 3.4.1 3.4.2 the server makes the ids, and a context continues in a new task', async () => {
  const { client } = await open(['One.', 'Two.'])
  const one = asTask(await client.sendMessage(saying('Hi')))
  expect([one.id, one.contextId].every((id) => id !== '')).toBe(true)
  const two = asTask(await client.sendMessage(saying('And?', { contextId: one.contextId })))
  expect(two.contextId).toBe(one.contextId)
  expect(two.id).not.toBe(one.id)
  expect(two.history.map(({ parts }) => parts[0]?.content?.value)).toEqual(['And?', 'Two.'])
})

test("SRV-02 3.4.3 a message with only a task's id stays in its context, and one of another context is refused", async () => {
  const { client } = await open(script)
  const { id: taskId, contextId } = asTask(await client.sendMessage(saying('Mail Ann.')))
  await expect(client.sendMessage(saying('approve', { taskId, contextId: 'other' }))).rejects.toMatchObject({
    envelopeCode: -32602,
  })
  expect(asTask(await client.sendMessage(saying('approve', { taskId })))).toMatchObject({ id: taskId, contextId })
})

test('SRV-02 3.2.4 historyLength limits the messages of a task', async () => {
  const { client, rpc } = await open(['Hello.'])
  const { id } = asTask(await client.sendMessage(saying('Hi', {}, configured({ historyLength: 0 }))))
  const lengths = [undefined, 0, 1, 9].map(async (historyLength) => {
    const given = historyLength === undefined ? {} : { historyLength }
    return (await client.getTask({ tenant: '', id, ...given })).history.length
  })
  expect(await Promise.all(lengths)).toEqual([2, 0, 1, 2])
  expect((await rpc('GetTask', { id, historyLength: -1 })).error?.code).toBe(-32602)
})

test('SRV-02 3.6 refuses a request of another version or without one', async () => {
  const { rpc } = await open([])
  for (const version of ['', '0.3', '1', '9.9', 'latest']) {
    expect([version, (await rpc('ListTasks', {}, { 'a2a-version': version })).error?.code]).toEqual([version, -32009])
  }
})

test("SRV-02 3.3.4 refuses operations that the card does not offer with the protocol's error", async () => {
  const { rpc } = await open([])
  const about = { taskId: 'x', id: 'x', url: 'http://127.0.0.1/' }
  const config = { taskPushNotificationConfig: about }
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hi' }] }
  const codes = {
    CreateTaskPushNotificationConfig: [about, -32003],
    GetTaskPushNotificationConfig: [about, -32003],
    ListTaskPushNotificationConfigs: [about, -32003],
    DeleteTaskPushNotificationConfig: [about, -32003],
    SendMessage: [{ message, configuration: config }, -32003],
    GetExtendedAgentCard: [{}, -32004],
  } as const
  for (const [method, [params, code]] of Object.entries(codes)) {
    expect([method, (await rpc(method, params)).error?.code]).toEqual([method, code])
  }
})

test('SRV-02 3.3.2 9.5 refuses invalid input with its code and error info', async () => {
  const { agent, client, rpc, post } = await open(['Hello.'])
  const { id } = asTask(await client.sendMessage(saying('Hi')))
  const send = (message: object) => rpc('SendMessage', { message: { messageId: 'x', role: 'ROLE_USER', ...message } })
  const parts = [{ text: 'Hi' }]
  const deep: unknown = JSON.parse('['.repeat(3_000) + ']'.repeat(3_000))
  const refused = {
    'no message': [() => rpc('SendMessage', {}), -32602, 'INVALID_PARAMS'],
    'no message id': [() => send({ messageId: '', parts }), -32602, 'INVALID_PARAMS'],
    'a long message id': [() => send({ messageId: 'x'.repeat(201), parts }), -32602, 'INVALID_PARAMS'],
    'no parts': [() => send({ parts: [] }), -32602, 'INVALID_PARAMS'],
    'an empty part': [() => send({ parts: [{}] }), -32602, 'INVALID_PARAMS'],
    'an empty text': [() => send({ parts: [{ text: ' ' }] }), -32602, 'INVALID_PARAMS'],
    'an address': [() => send({ parts: [{ url: 'http://10.0.0.1/x' }] }), -32005, 'CONTENT_TYPE_NOT_SUPPORTED'],
    'a broken image': [
      () => send({ parts: [{ raw: 'AAAA', mediaType: 'image/png' }] }),
      -32005,
      'CONTENT_TYPE_NOT_SUPPORTED',
    ],
    'an unknown context': [() => send({ parts, contextId: 'mine' }), -32602, 'INVALID_PARAMS'],
    'a context that is none': [() => send({ parts, contextId: '../x' }), -32602, 'INVALID_PARAMS'],
    'an unknown task': [() => send({ parts, taskId: 'mine' }), -32001, 'TASK_NOT_FOUND'],
    'a task id that is none': [() => send({ parts, taskId: '../x' }), -32001, 'TASK_NOT_FOUND'],
    'a finished task': [() => send({ parts, taskId: id }), -32004, 'UNSUPPORTED_OPERATION'],
    'an unknown task to read': [() => rpc('GetTask', { id: 'mine' }), -32001, 'TASK_NOT_FOUND'],
    'no task to read': [() => rpc('GetTask', {}), -32602, 'INVALID_PARAMS'],
    'an unknown task to cancel': [() => rpc('CancelTask', { id: 'mine' }), -32001, 'TASK_NOT_FOUND'],
    'a finished task to cancel': [() => rpc('CancelTask', { id }), -32002, 'TASK_NOT_CANCELABLE'],
    'an unknown task to follow': [() => rpc('SubscribeToTask', { id: 'mine' }), -32001, 'TASK_NOT_FOUND'],
    'a part that is null': [() => send({ parts: [null] }), -32602, 'INVALID_PARAMS'],
    'data that is nested too deep': [() => send({ parts: [{ data: deep }] }), -32602, 'INVALID_PARAMS'],
    'an id that is no text': [() => rpc('GetTask', { id: { toString: 1 } }), -32602, 'INVALID_PARAMS'],
    'params that are a list': [() => rpc('GetTask', []), -32602, 'INVALID_PARAMS'],
  } as const
  for (const [what, [answer, code, reason]] of Object.entries(refused)) {
    const { id: same, error } = await answer()
    expect([what, same, error?.code, error?.data?.[0]?.reason]).toEqual([what, 7, code, reason])
    expect(error?.data?.[0]?.['@type']).toBe('type.googleapis.com/google.rpc.ErrorInfo')
  }
  expect((await rpc('message/send', {})).error?.code).toBe(-32601)
  const broken = { '{"jsonrpc"': -32700, '[]': -32600, '1': -32600, '{"method":"GetTask"}': -32602 }
  for (const [body, code] of Object.entries(broken)) {
    const { error } = (await (await post(body)).json()) as { readonly error: RpcError }
    expect([body, error.code]).toEqual([body, code])
  }
  expect((await agent.runs()).length).toBe(1)
})

test("SRV-02 5.5 8.2 the card and tasks are the protocol's JSON: camel case, state names, times in UTC", async () => {
  const { url, rpc } = await open(script)
  const headers = { authorization: 'Bearer ann' }
  const card: unknown = await (await fetch(`${url}/.well-known/agent-card.json`, { headers })).json()
  expect(card).toMatchObject({
    name: 'mailer',
    description: expect.stringContaining('mailer'),
    version: '1',
    supportedInterfaces: [{ url: `${url}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    skills: [{ id: 'mailer', name: 'mailer', tags: ['agent'] }],
    defaultInputModes: expect.arrayContaining(['text/plain']),
    defaultOutputModes: expect.arrayContaining(['text/plain']),
  })
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Mail Ann.' }] }
  expect((await rpc('SendMessage', { message })).result).toMatchObject({
    task: {
      contextId: expect.any(String),
      status: {
        state: 'TASK_STATE_INPUT_REQUIRED',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        message: { role: 'ROLE_AGENT', messageId: expect.any(String) },
      },
    },
  })
})

test("SRV-02 7 13.1 reveals nothing without a credential, and treats another caller's task as unknown", async () => {
  const { sent, url, client, post } = await open(script)
  const { id, contextId } = asTask(await client.sendMessage(saying('Mail Ann.')))
  const calls = { GetTask: { id }, ListTasks: {}, CancelTask: { id }, SubscribeToTask: { id } }
  for (const [method, params] of Object.entries(calls)) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    })
    expect([method, response.status, (await response.text()).includes(id)]).toEqual([method, 403, false])
  }
  expect((await fetch(`${url}/.well-known/agent-card.json`)).status).toBe(403)
  const bob = await connect(url, 'bob')
  const unknown = { envelopeCode: -32001 }
  await expect(bob.getTask({ tenant: '', id })).rejects.toMatchObject(unknown)
  await expect(bob.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toMatchObject(unknown)
  await expect(bob.sendMessage(saying('approve', { taskId: id }))).rejects.toMatchObject(unknown)
  await expect(bob.resubscribeTask({ tenant: '', id }).next()).rejects.toMatchObject(unknown)
  const text = async (context: string) =>
    bob.sendMessage(saying('Hi', { contextId: context })).catch((error: Error) => error.message)
  expect(await text(contextId)).toBe(await text('unknown'))
  expect([sent, (await post('', { authorization: '' })).status]).toEqual([[], 200])
})
