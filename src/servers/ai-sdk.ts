import type { Agent } from '../index.ts'
import { chatRoutes } from './ai-sdk/answer-chat.ts'
import { type ChatHandlersOptions, chatHandlers } from './chat/chat-handlers.ts'
import type { Handlers } from './http/serve.ts'

export type { ChatHandlersOptions } from './chat/chat-handlers.ts'

/**
 * Serves the sessions of an agent to `useChat` and `Chat` of the AI SDK, by the UI message stream v1. The id of a chat
 * is the id of its session, and `basePath` is the client's `api`. The handlers ignore the history that a client sends,
 * except the last message of its user and the answers to waiting calls. Throws a `UsageError` `bad_option` for an
 * invalid option.
 *
 * @example
 * const handlers = createChatHandlers(agent, { authorize, basePath: '/api/chat' })
 * export const { GET, POST } = handlers
 */
export function createChatHandlers(agent: Agent, options: ChatHandlersOptions = {}): Handlers {
  return chatHandlers(agent, chatRoutes, 'createChatHandlers', options)
}
