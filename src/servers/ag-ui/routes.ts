import type { RoutePath } from '../http/find-route.ts'
import { type AgUiExchange, runInput, stop } from './answer-input.ts'

interface AgUiRoute extends RoutePath {
  readonly answer: (exchange: AgUiExchange, threadId: string) => Promise<Response>
}

/** Every route of `createAgUiHandlers`. */
export const agUiRoutes: readonly AgUiRoute[] = [
  { method: 'POST', path: '', answer: runInput },
  { method: 'POST', path: '/:session/stop', answer: stop },
]
