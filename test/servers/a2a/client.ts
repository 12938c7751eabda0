import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Message, Role, type SendMessageRequest, type StreamResponse, type Task } from '@a2a-js/sdk'
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import { onTestFinished } from 'vitest'
import type { Agent } from '../../../src/index.ts'
import { type A2aHandlersOptions, createA2aHandlers } from '../../../src/servers/a2a.ts'
import { nodeListener } from '../../../src/servers/http/server-node.ts'

/** Serves an agent on loopback. A client's name is the bearer token that it sends. */
export async function serve(agent: Agent, options: A2aHandlersOptions = {}) {
  const authorize: A2aHandlersOptions['authorize'] = ({ headers }) => {
    const name = headers.get('authorization')?.replace('Bearer ', '')
    return name !== undefined && { by: name }
  }
  const handlers = await createA2aHandlers(agent, { authorize, ...options })
  const server = createServer(nodeListener(handlers))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    await handlers.close()
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  onTestFinished(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

/** The official client of a server, with a name of its own. */
export async function connect(url: string, name = 'ann') {
  const fetchImpl: typeof fetch = (target, init) => {
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${name}`)
    return fetch(target, { ...init, headers })
  }
  return new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(url)
}

let count = 0

/** A request with a text, a data part, or both. */
export function saying(
  text: string | undefined,
  { data, ...given }: Partial<Message> & { readonly data?: object } = {},
  configuration?: SendMessageRequest['configuration'],
): SendMessageRequest {
  const part = { metadata: undefined, filename: '', mediaType: '' }
  const message: Message = {
    messageId: `m-${++count}`,
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [
      ...(text === undefined ? [] : [{ ...part, content: { $case: 'text' as const, value: text } }]),
      ...(data === undefined ? [] : [{ ...part, content: { $case: 'data' as const, value: data } }]),
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...given,
  }
  return { tenant: '', message, configuration, metadata: undefined }
}

export const configured = (given: Partial<NonNullable<SendMessageRequest['configuration']>>) => ({
  acceptedOutputModes: [],
  taskPushNotificationConfig: undefined,
  returnImmediately: false,
  ...given,
})

/** The task that a request resolved with. */
export function asTask(result: Message | Task): Task {
  if ('id' in result) return result
  throw new Error('The server answered with a message.')
}

/** The texts of a task's artifacts. */
export const answerOf = ({ artifacts }: Task) =>
  artifacts.flatMap(({ parts }) => parts.map(({ content }) => content?.value as unknown))

export async function allOf(stream: AsyncIterable<StreamResponse>): Promise<readonly StreamResponse['payload'][]> {
  const all: StreamResponse['payload'][] = []
  for await (const { payload } of stream) all.push(payload)
  return all
}
