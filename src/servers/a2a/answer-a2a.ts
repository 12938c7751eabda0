import { A2A_PROTOCOL_VERSION, A2A_VERSION_HEADER, AGENT_CARD_PATH, AgentCard } from '@a2a-js/sdk'
import {
  A2A_ERROR_CODE,
  A2AError,
  RequestMalformedError,
  TaskNotFoundError,
  toJsonRpcError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server'
import { hashText, isRecord } from '../../core/domain/text/json.ts'
import { HttpError, json, toldError } from '../http/http-error.ts'
import { readJson } from '../http/read-body.ts'
import type { Exchange } from '../http/serve.ts'
import { sseBody } from '../http/sse-body.ts'
import type { A2aHandlersOptions } from './options.ts'
import { PushNotifications } from './push-notifications.ts'
import { taskHandler } from './task-handler.ts'

export const openPush = PushNotifications.open

/** Answers a request for the agent card, or a request of the JSON-RPC binding. */
export async function answerA2a(
  exchange: Exchange,
  options: A2aHandlersOptions,
  push: PushNotifications | undefined,
): Promise<Response> {
  const { request, path } = exchange
  const isCard = path === `/${AGENT_CARD_PATH}`
  if (!isCard && path !== '') throw new HttpError(404, 'no_route', 'There is nothing at this path.')
  const allow = isCard ? 'GET' : 'POST'
  if (request.method !== allow) throw new HttpError(405, 'bad_method', `This path accepts ${allow}.`, { allow })
  const card = agentCard(exchange, options)
  if (!isCard) return answerCall(ownTasks(exchange), card, push)
  if (options.cardReads !== 'anyone') await exchange.allow({ action: 'read' })
  const told = AgentCard.toJSON(card)
  const response = json(told)
  response.headers.set('cache-control', 'private, max-age=300')
  response.headers.set('etag', `"${hashText(JSON.stringify(told)).slice(0, 32)}"`)
  return response
}

/** Returns the agent card, with the address that the request was sent to, or that of `origin`. */
function agentCard({ agent: { name }, url }: Exchange, options: A2aHandlersOptions): AgentCard {
  const { card = {}, origin = url.origin, basePath = '' } = options
  const { description = `Gives a task to the agent "${name}" and returns its answer.` } = card
  return AgentCard.fromJSON({
    version: '1',
    defaultInputModes: ['text/plain', 'application/json', 'image/*', 'application/pdf'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [{ id: name, name, description, tags: ['agent'] }],
    ...card,
    name,
    description,
    supportedInterfaces: [
      { url: `${origin}${basePath}/`, protocolBinding: 'JSONRPC', protocolVersion: A2A_PROTOCOL_VERSION },
    ],
    capabilities: { streaming: true, pushNotifications: options.push !== undefined, extendedAgentCard: false },
  })
}

/** Limits what a client reaches to the tasks that it has begun over this protocol, which have a label with its name. */
function ownTasks(exchange: Exchange): Exchange {
  return {
    ...exchange,
    allow: async (asked) => {
      const access = await exchange.allow(asked)
      const labels = { ...access.filter?.labels, a2a: access.by ?? exchange.agent.name }
      return { ...access, filter: { ...access.filter, labels } }
    },
  }
}

async function answerCall(exchange: Exchange, card: AgentCard, push: PushNotifications | undefined): Promise<Response> {
  const { request, url, maxBodyBytes } = exchange
  const body = await readJson(request, maxBodyBytes).catch((error: unknown) => {
    if (!(error instanceof HttpError) || error.code !== 'bad_json') throw error
    return error
  })
  const refusal = (error: object, id: unknown = null) => json({ jsonrpc: '2.0', id, error })
  if (body instanceof HttpError) return refusal({ code: -32700, message: body.message })
  if (!isRecord(body))
    return refusal({ code: -32600, message: 'The request is refused. Expected one JSON-RPC object.' })
  let fault: { readonly error: unknown } | undefined
  const judge = (error: unknown): never => {
    const known = protocolError(error)
    if (known === undefined) fault = { error }
    throw known ?? error
  }
  try {
    const requestedVersion = request.headers.get(A2A_VERSION_HEADER) ?? url.searchParams.get(A2A_VERSION_HEADER) ?? ''
    const context = new ServerCallContext({ requestedVersion })
    validateVersion(context.requestedVersion, card, 'JSONRPC')
    const answer = await new JsonRpcTransportHandler(taskHandler({ exchange, push, judge })).handle(body, context)
    if (fault !== undefined) throw fault.error
    // Only params that the package cannot read are an error of its own.
    const { code } = 'error' in answer && isRecord(answer.error) ? answer.error : { code: 0 }
    if (code === A2A_ERROR_CODE.INTERNAL_ERROR) throw new RequestMalformedError(unread)
    // An error before the first event is an answer of its own.
    return Symbol.asyncIterator in answer ? streamed(answer, await answer.next()) : json(answer)
  } catch (error) {
    if (fault !== undefined) throw fault.error
    return refusal(toJsonRpcError(error), body['id'])
  }
}

const unread = 'The params are refused. Expected those of the method, each of its type.'

/** The statuses that HTTP answers itself: who may ask, and what the client cannot help. */
const ofHttp: readonly number[] = [401, 403, 413, 415]

const unsupported: readonly string[] = ['run_busy', 'run_waiting', 'run_done']

/** Returns the protocol's error for what a client did wrong; undefined for an error that HTTP answers. */
function protocolError(error: unknown): A2AError | undefined {
  if (error instanceof A2AError) return error
  const { status, code, message } = toldError(error)
  if (status >= 500 || ofHttp.includes(status)) return undefined
  const isTask = status === 404 && code !== 'session_unknown'
  if (isTask || code === 'bad_run_id') return new TaskNotFoundError(message)
  return unsupported.includes(code) ? new UnsupportedOperationError(message) : new RequestMalformedError(message)
}

const keepAliveMs = 15_000

function streamed(events: AsyncGenerator, first: IteratorResult<unknown>): Response {
  let begun: IteratorResult<unknown> | undefined = first
  const next = async () => {
    const { done, value } = begun ?? (await events.next())
    begun = undefined
    return done === true ? undefined : `data: ${JSON.stringify(value)}\n\n`
  }
  return new Response(sseBody({ next, end: async () => void (await events.return(undefined)) }, keepAliveMs), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
  })
}
