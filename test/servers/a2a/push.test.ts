import type { TaskPushNotificationConfig } from '@a2a-js/sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { loopbackServer, type SeenRequest } from '../../../proof/support/loopback-server.ts'
import { signer } from '../../../src/adapters/brokers/http-broker/signature.ts'
import { listOutgoing } from '../../../src/ports.ts'
import type { A2aHandlersOptions, A2aPushOptions } from '../../../src/servers/a2a.ts'
import { ManualClock } from '../../../src/testing/crash/crash-environment.ts'
import { mailer, sharedFile } from '../mailer.ts'
import { asTask, configured, connect, saying, serve } from './client.ts'

const secrets = [`whsec_${Buffer.alloc(32, 7).toString('base64')}`]
const sending = { toolCalls: [{ id: 'c', name: 'send', arguments: { to: 'Ann' } }] }
const script = [sending, 'It is sent.']

/** A client's server: it answers with statuses in their order, then 200. */
async function receiver(...statuses: readonly (number | readonly [status: number, location: string])[]) {
  let news = Promise.withResolvers<void>()
  const left = [...statuses]
  const server = await loopbackServer((response) => {
    const [status, location] = [left.shift() ?? 200].flat() as [number, string?]
    response.writeHead(status, location === undefined ? {} : { location }).end('secret words of the receiver')
    news.resolve()
    news = Promise.withResolvers()
  })
  onTestFinished(() => server[Symbol.asyncDispose]())
  /** Resolves once so many requests have arrived. */
  const until = async (wanted: number) => {
    while (server.seen.length < wanted) await news.promise
    return server.seen
  }
  return { origin: server.origin, seen: server.seen, until }
}

const configOf = (url: string, more: Partial<TaskPushNotificationConfig> = {}): TaskPushNotificationConfig => {
  const authentication = { scheme: 'Bearer', credentials: 'cr3dentials' }
  return { tenant: '', id: '', taskId: '', url, token: 't0ken', authentication, ...more }
}

async function open(push: A2aPushOptions, store?: Awaited<ReturnType<typeof sharedFile>>['store']) {
  const own = store ?? (await sharedFile()).store
  const made = mailer(script, { store: own })
  const served = await serve(made.agent, { push })
  return { ...made, ...served, store: own, client: await connect(served.url) }
}

const stateIn = ({ body }: SeenRequest) =>
  (JSON.parse(body) as { readonly statusUpdate: { readonly status: { readonly state: string } } }).statusUpdate.status
    .state
const asked = 'TASK_STATE_INPUT_REQUIRED'

test('SRV-02 4.3 a client is notified of a question and, after a restart of the server, of the end: signed, with its token, once', async () => {
  const at = await receiver()
  const { store } = await sharedFile()
  const push = { origins: [at.origin], secrets }
  const first = await open(push, store)
  const configuration = configured({
    taskPushNotificationConfig: configOf(`${at.origin}/hook`),
    returnImmediately: true,
  })
  const { id: taskId } = asTask(await first.client.sendMessage(saying('Mail Ann.', {}, configuration)))
  const [{ headers, body }] = (await at.until(1)) as [SeenRequest]
  expect(JSON.parse(body)).toMatchObject({
    statusUpdate: { taskId, contextId: expect.any(String), status: { state: asked, message: { role: 'ROLE_AGENT' } } },
  })
  expect(headers).toMatchObject({
    'content-type': 'application/a2a+json',
    'x-a2a-notification-token': 't0ken',
    authorization: 'Bearer cr3dentials',
  })
  const said = (name: string) => String(headers[`webhook-${name}`])
  expect(await signer(secrets).isSigned(said('id'), said('timestamp'), body, said('signature'))).toBe(true)
  const kept = await first.client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' })
  expect(kept.configs).toMatchObject([
    { url: `${at.origin}/hook`, authentication: { scheme: 'Bearer', credentials: '' } },
  ])
  await first.close()
  await first.agent.close()

  const second = await open(push, store)
  await second.client.sendMessage(saying('approve', { taskId }))
  const all = await at.until(2)
  expect(all.map(stateIn)).toEqual([asked, 'TASK_STATE_COMPLETED'])
  await second.close()
  expect(at.seen.length).toBe(2)
  expect(await listOutgoing(store)).toMatchObject([{ state: 'sent', body: null }])
})

test('SRV-02 4.3 configurations are created, replaced by their id, read, limited, and deleted only by their client', async () => {
  const at = await receiver()
  const { client, url } = await open({ origins: [at.origin], secrets })
  const { id: taskId } = asTask(await client.sendMessage(saying('Mail Ann.')))
  const about = { tenant: '', taskId }
  const create = (id: string) => client.createTaskPushNotificationConfig(configOf(`${at.origin}/${id}`, { id, taskId }))
  const ids = async () =>
    (await client.listTaskPushNotificationConfig({ ...about, pageSize: 0, pageToken: '' })).configs.map(({ id }) => id)
  for (let count = 0; count < 10; count++) expect(await create(`c${count}`)).toMatchObject({ id: `c${count}`, taskId })
  await expect(create('c10')).rejects.toMatchObject({ envelopeCode: -32602 })
  await create('c9')
  expect((await ids()).toSorted()).toEqual(Array.from({ length: 10 }, (_, count) => `c${count}`))
  const bob = await connect(url, 'bob')
  const unknown = { envelopeCode: -32001 }
  const one = { ...about, id: 'c1' }
  await expect(bob.createTaskPushNotificationConfig(configOf(at.origin, { taskId }))).rejects.toMatchObject(unknown)
  await expect(bob.getTaskPushNotificationConfig(one)).rejects.toMatchObject(unknown)
  await expect(bob.deleteTaskPushNotificationConfig(one)).rejects.toMatchObject(unknown)
  expect((await client.getTaskPushNotificationConfig(one)).url).toBe(`${at.origin}/c1`)
  await client.deleteTaskPushNotificationConfig(one)
  await expect(client.getTaskPushNotificationConfig(one)).rejects.toMatchObject(unknown)
  expect(await ids()).not.toContain('c1')
})

test('SRV-02 13.2 fifty configurations that arrive at once leave ten, and a message with an eleventh is not taken', async () => {
  const at = await receiver()
  const { client, agent, store } = await open({ origins: [at.origin], secrets })
  const { id: taskId } = asTask(await client.sendMessage(saying('Mail Ann.')))
  const create = (id: string) => client.createTaskPushNotificationConfig(configOf(`${at.origin}/${id}`, { id, taskId }))
  const all = await Promise.allSettled(Array.from({ length: 50 }, (_, count) => create(`c${count}`)))
  expect(all.filter(({ status }) => status === 'fulfilled').length).toBe(10)
  expect((await listOutgoing(store)).length).toBe(10)
  const configuration = configured({ taskPushNotificationConfig: configOf(at.origin, { id: 'eleventh' }) })
  await expect(client.sendMessage(saying('approve', { taskId }, configuration))).rejects.toMatchObject({
    envelopeCode: -32602,
  })
  expect((await (await agent.load(taskId)).result()).suspended).toHaveLength(1)
})

test('SRV-02 13.2 an address that the server does not allow is refused, and begins nothing', async () => {
  const at = await receiver()
  const { agent, client } = await open({ origins: [at.origin, 'https://client.example'], secrets })
  const refused = [
    'http://127.0.0.1:1/hook',
    at.origin.replace('127.0.0.1', 'localhost'),
    at.origin.replace('127.0.0.1', '127.0.0.2'),
    at.origin.replace('http://', 'http://user:word@'),
    'http://client.example/hook',
    'https://client.example.evil.example/',
    'https://client.example@10.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'file:///etc/passwd',
    'blob:https://client.example/hook',
    'hook',
    '',
    `${at.origin}/${'x'.repeat(2_000)}`,
  ].map((url) => configOf(url))
  const odd = [{ token: 'a\r\nb: c' }, { token: 'x'.repeat(4_001) }, { id: 'a b' }].map((more) =>
    configOf(at.origin, more),
  )
  const scheme = configOf(at.origin, { authentication: { scheme: 'Bearer\n', credentials: '' } })
  for (const config of [...refused, ...odd, scheme]) {
    const configuration = configured({ taskPushNotificationConfig: config })
    const answer = client.sendMessage(saying('Mail Ann.', {}, configuration))
    await expect(answer).rejects.toMatchObject({ envelopeCode: -32602 })
  }
  expect([await agent.runs(), at.seen]).toEqual([[], []])
})

test('SRV-02 13.2 a name at a private address and a redirect receive nothing, and a failure is tried again', async () => {
  const other = await receiver()
  const at = await receiver([307, `${other.origin}/`], [302, `${other.origin}/`], 500)
  const clock = new ManualClock()
  const resolve = async () => [{ address: '10.0.0.1', family: 4 }]
  const push = { origins: [at.origin, 'https://client.example'], secrets, clock, resolve }
  const { store } = await sharedFile()
  const { client, close } = await open(push, store)
  const { id: taskId } = asTask(await client.sendMessage(saying('Mail Ann.')))
  for (const [id, url] of Object.entries({ redirects: at.origin, private: 'https://client.example/hook' }))
    await client.createTaskPushNotificationConfig(configOf(url, { taskId, id }))
  const told = async (id: string, problem: string) => {
    for (;;) {
      const row = (await listOutgoing(store)).find(({ destination }) => destination === id)
      if (row?.problem?.includes(problem) === true) return row.attempts
      await new Promise((goOn) => setImmediate(goOn))
    }
  }
  expect(await told('private', 'private address')).toBe(1)
  expect(await told('redirects', `${new URL(at.origin).host} answered 307.`)).toBe(1)
  clock.advance(1_000)
  expect(await told('redirects', 'answered 302.')).toBe(2)
  clock.advance(2_000)
  expect(await told('redirects', 'answered 500.')).toBe(3)
  clock.advance(4_000)
  const all = await at.until(4)
  expect([new Set(all.map(({ headers }) => headers['webhook-id'])).size, other.seen]).toEqual([1, []])
  await close()
})

test('SRV-02 4.3 a configuration that is replaced while the end is sent to its old address gets the end at the new one', async () => {
  const old = Promise.withResolvers<() => void>()
  const slow = await loopbackServer((response) => old.resolve(() => response.end()))
  onTestFinished(() => slow[Symbol.asyncDispose]())
  const at = await receiver()
  const { client, close } = await open({ origins: [slow.origin, at.origin], secrets })
  const { id: taskId } = asTask(await client.sendMessage(saying('Mail Ann.')))
  await client.sendMessage(saying('approve', { taskId }))
  await client.createTaskPushNotificationConfig(configOf(slow.origin, { id: 'one', taskId }))
  const answer = await old.promise
  await client.createTaskPushNotificationConfig(configOf(at.origin, { id: 'one', taskId }))
  answer()
  expect((await at.until(1)).map(stateIn)).toEqual(['TASK_STATE_COMPLETED'])
  await close()
})

test('SRV-02 13.2 a caller who may only read or follow a task neither keeps nor drops a configuration of it', async () => {
  const at = await receiver()
  const { store } = await sharedFile()
  const { agent } = mailer(script, { store })
  const push = { origins: [at.origin], secrets }
  const all = await connect((await serve(agent, { push, authorize: () => true })).url)
  const message = saying('Mail Ann.')
  const { id: taskId } = asTask(await all.sendMessage(message))
  const config = configOf(at.origin, { id: 'one', taskId })
  const authorize: A2aHandlersOptions['authorize'] = (_, { action }) => ['read', 'follow'].includes(action)
  const reader = await connect((await serve(agent, { push, authorize })).url)
  const again = configured({ taskPushNotificationConfig: config })
  expect((await reader.getTask({ tenant: '', id: taskId })).id).toBe(taskId)
  await expect(reader.createTaskPushNotificationConfig(config)).rejects.toThrow('403')
  const repeated = { ...message, message: message.message && { ...message.message, taskId }, configuration: again }
  await expect(reader.sendMessage(repeated)).rejects.toThrow('403')
  expect(await listOutgoing(store)).toEqual([])
  await all.createTaskPushNotificationConfig(config)
  await expect(reader.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'one' })).rejects.toThrow('403')
  expect(await listOutgoing(store)).toHaveLength(1)
})

test('SRV-02 13.2 handlers whose other options are refused create no notifications', async () => {
  const { store } = await sharedFile()
  const { agent } = mailer([], { store })
  const listening = vi.spyOn(agent, 'on')
  const push = { origins: ['https://client.example'], secrets }
  await expect(serve(agent, { push, reads: 'anyone' })).rejects.toThrow('authorize and reads')
  expect(listening).not.toHaveBeenCalled()
})

test.for([
  [{ origins: ['http://client.example'], secrets }, 'Expected https'],
  [{ origins: ['https://client.example/path'], secrets }, 'an origin such as'],
  [{ origins: ['https://client.example'], secrets: [] }, 'secret'],
  [{ origins: ['https://client.example'], secrets: ['short'] }, 'secret of createA2aHandlers'],
] as const)('SRV-02 13.2 options of notifications %o are refused', async ([push, text]) => {
  const { store } = await sharedFile()
  await expect(serve(mailer([], { store }).agent, { push })).rejects.toThrow(text)
})
