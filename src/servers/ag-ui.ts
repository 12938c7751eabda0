import type { Agent } from '../index.ts'
import { agUiRoutes } from './ag-ui/answer-input.ts'
import { type ChatHandlersOptions, chatHandlers } from './chat/chat-handlers.ts'
import type { Handlers } from './http/serve.ts'

export type { ChatHandlersOptions as AgUiHandlersOptions } from './chat/chat-handlers.ts'

/**
 * Serves the sessions of an agent to clients of AG-UI 1.0, such as `HttpAgent`. A thread is a session. A waiting run is
 * an interrupt, and `resume` answers it in a run with the client's own id; the stored run stays the same. The handlers
 * ignore the messages that a client sends, except the last one of its user and the answers to waiting calls. Throws a
 * `UsageError` `bad_option` for an invalid option.
 *
 * @example
 * const handlers = createAgUiHandlers(agent, { authorize, basePath: '/api/ag-ui' })
 * export const { POST } = handlers
 */
export function createAgUiHandlers(agent: Agent, options: ChatHandlersOptions = {}): Handlers {
  return chatHandlers(agent, agUiRoutes, 'createAgUiHandlers', options)
}
