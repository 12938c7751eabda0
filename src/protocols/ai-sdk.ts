import { flag, optional, type OptionShape } from '../domain/option-shape.ts'
import type { Agent } from '../index.ts'
import { type ChatExchange, reconnect, send, stop } from './ai-sdk/answer-chat.ts'
import { history } from './ai-sdk/read-history.ts'
import { HttpError } from './server/http-error.ts'
import { type Handlers, type HandlersOptions, handlersShape, serve } from './server/serve.ts'

export type { Access, Action, Authorize, AuthorizeRequest, RunsFilter } from './server/access.ts'
export type { AllowedOrigins } from './server/cors.ts'
export type { Handlers, HandlersOptions } from './server/serve.ts'

/** How chats of the AI SDK are served; all of it optional. */
export interface ChatHandlersOptions extends HandlersOptions {
  /** True cancels the run whose client leaves before its stream ends. Default false: a page may come back. */
  readonly cancelOnClose?: boolean
}

const shape: OptionShape<ChatHandlersOptions> = { ...handlersShape, cancelOnClose: optional(flag) }

/**
 * Serves the sessions of an agent to `useChat` and `Chat` of the AI SDK, by the UI message stream v1. The id of a chat is
 * that of the session. `basePath` is what the client calls `api`. The agent keeps its events: `events: 'stored'`. Of the
 * client's history counts what its user has said last, and what it answers to calls that wait. Throws a `UsageError`
 * `bad_option` for an option that is refused.
 *
 * @example
 * const handlers = createChatHandlers(agent, { authorize, basePath: '/api/chat' })
 * export const { GET, POST } = handlers
 */
export function createChatHandlers(agent: Agent, options: ChatHandlersOptions = {}): Handlers {
  const { cancelOnClose = false } = options
  return serve(agent, { owner: 'createChatHandlers', options, shape }, async (exchange) =>
    answer({ ...exchange, cancelOnClose }),
  )
}

async function answer(exchange: ChatExchange): Promise<Response> {
  const { request, path } = exchange
  const [, sessionId = '', action] = /^\/([A-Za-z0-9_-]{1,64})\/(stream|stop|messages)$/.exec(path) ?? []
  if (path !== '' && action === undefined) throw new HttpError(404, 'no_route', 'There is nothing at this path.')
  const allow = action === 'stream' || action === 'messages' ? 'GET' : 'POST'
  if (request.method !== allow) throw new HttpError(405, 'bad_method', `This path takes ${allow}.`, { allow })
  if (action === 'stream') return reconnect(exchange, sessionId)
  if (action === 'messages') return history(exchange, sessionId)
  return action === 'stop' ? stop(exchange, sessionId) : send(exchange)
}
