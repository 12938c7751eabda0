import { flag, optional, type OptionShape } from '../domain/option-shape.ts'
import type { Agent } from '../index.ts'
import { type AgUiExchange, runInput, stop } from './ag-ui/answer-input.ts'
import { HttpError } from './server/http-error.ts'
import { type Handlers, type HandlersOptions, handlersShape, serve } from './server/serve.ts'

export type { Access, Action, Authorize, AuthorizeRequest, RunsFilter } from './server/access.ts'
export type { AllowedOrigins } from './server/cors.ts'
export type { Handlers, HandlersOptions } from './server/serve.ts'

/** How an agent is served to clients of AG-UI; all of it optional. */
export interface AgUiHandlersOptions extends HandlersOptions {
  /** True cancels the run whose client leaves before its stream ends. Default false: a client may come back. */
  readonly cancelOnClose?: boolean
}

const shape: OptionShape<AgUiHandlersOptions> = { ...handlersShape, cancelOnClose: optional(flag) }

/**
 * Serves the sessions of an agent to clients of AG-UI 1.0, such as `HttpAgent`. A thread is a session. A run that waits is
 * an interrupt, and `resume` answers it in a run of the client's own id; the stored run stays one. The agent keeps its
 * events: `events: 'stored'`. Of the client's messages counts what its user has said last, and what it answers to calls
 * that wait. Throws a `UsageError` `bad_option` for an option that is refused.
 *
 * @example
 * const handlers = createAgUiHandlers(agent, { authorize, basePath: '/api/ag-ui' })
 * export const { POST } = handlers
 */
export function createAgUiHandlers(agent: Agent, options: AgUiHandlersOptions = {}): Handlers {
  const { cancelOnClose = false } = options
  return serve(agent, { owner: 'createAgUiHandlers', options, shape }, async (exchange) =>
    answer({ ...exchange, cancelOnClose }),
  )
}

async function answer(exchange: AgUiExchange): Promise<Response> {
  const { request, path } = exchange
  const [, threadId = ''] = /^\/([A-Za-z0-9_-]{1,64})\/stop$/.exec(path) ?? []
  if (path !== '' && threadId === '') throw new HttpError(404, 'no_route', 'There is nothing at this path.')
  if (request.method !== 'POST') throw new HttpError(405, 'bad_method', 'This path takes POST.', { allow: 'POST' })
  return threadId === '' ? runInput(exchange) : stop(exchange, threadId)
}
