import type { Agent } from '../../index.ts'
import { findRoute } from './find-route.ts'
import { routes } from './routes.ts'
import { type Handlers, type HandlersOptions, handlersShape, serve } from './serve.ts'

export type { Access, Action, Authorize, AuthorizeRequest, OpenReads, RunsFilter } from './access.ts'
export type { WhileWaiting } from '../chat/say-while-waiting.ts'
export type { AllowedOrigins } from './cors.ts'
export type { Handlers, HandlersOptions } from './serve.ts'

/**
 * Serves the runs of an agent over HTTP, on web-standard `Request` and `Response`. Errors are answered as `{ code,
 * message }`. This process carries out a stored decision unless another process drives the run. Throws a `UsageError`
 * `bad_option` for an invalid option.
 *
 * @example
 * const handlers = createHandlers(agent, { authorize: (request) => isSignedIn(request), basePath: '/api' })
 * export const { GET, POST } = handlers
 */
export function createHandlers(agent: Agent, options: HandlersOptions = {}): Handlers {
  return serve(
    agent,
    { owner: 'createHandlers', options, shape: handlersShape },
    async ({ allow, path, ...exchange }) => {
      const { route, ids } = findRoute(routes, exchange.request.method, path)
      const { run: runId, call: callId } = ids
      const access = await allow({ action: route.action, ...(runId && { runId }) })
      return route.answer({ ...exchange, access, runId, callId })
    },
  )
}
