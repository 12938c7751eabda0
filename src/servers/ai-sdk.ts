import { flag, optional, type OptionShape } from '../core/domain/text/option-shape.ts'
import type { Agent } from '../index.ts'
import { chatRoutes } from './ai-sdk/routes.ts'
import { type WhileWaiting, whileWaitingCheck } from './chat/say-while-waiting.ts'
import { findRoute } from './http/find-route.ts'
import { type Handlers, type HandlersOptions, handlersShape, serve } from './http/serve.ts'

/** How chats of the AI SDK are served; all of it optional. */
export interface ChatHandlersOptions extends HandlersOptions {
  /** True cancels the run whose client leaves before its stream ends. Default false: a page may come back. */
  readonly cancelOnClose?: boolean
  /** What a message does that arrives while the run waits for an answer. Default `steer`: the run reads it when it goes on. */
  readonly whileWaiting?: WhileWaiting
}

const shape: OptionShape<ChatHandlersOptions> = {
  ...handlersShape,
  cancelOnClose: optional(flag),
  whileWaiting: whileWaitingCheck,
}

/**
 * Serves the sessions of an agent to `useChat` and `Chat` of the AI SDK, by the UI message stream v1. The id of a chat is
 * that of the session. `basePath` is what the client calls `api`. Of the client's history
 * counts what its user has said last, and what it answers to calls that wait. Throws a `UsageError` `bad_option` for an
 * option that is refused.
 *
 * @example
 * const handlers = createChatHandlers(agent, { authorize, basePath: '/api/chat' })
 * export const { GET, POST } = handlers
 */
export function createChatHandlers(agent: Agent, options: ChatHandlersOptions = {}): Handlers {
  const { cancelOnClose = false, whileWaiting = 'steer' } = options
  return serve(agent, { owner: 'createChatHandlers', options, shape }, async (exchange) => {
    const { route, ids } = findRoute(chatRoutes, exchange.request.method, exchange.path)
    return route.answer({ ...exchange, cancelOnClose, whileWaiting }, ids.session)
  })
}
