import type { RoutePath } from '../http/find-route.ts'
import { type ChatExchange, reconnect, send, stop } from './answer-chat.ts'
import { history } from './read-history.ts'

interface ChatRoute extends RoutePath {
  readonly answer: (exchange: ChatExchange, sessionId: string) => Promise<Response>
}

/** Every route of `createChatHandlers`. */
export const chatRoutes: readonly ChatRoute[] = [
  { method: 'POST', path: '', answer: send },
  { method: 'GET', path: '/:session/stream', answer: reconnect },
  { method: 'GET', path: '/:session/messages', answer: history },
  { method: 'POST', path: '/:session/stop', answer: stop },
]
