import { flag, optional, type OptionShape } from '../core/domain/text/option-shape.ts'
import type { Agent } from '../index.ts'
import { agUiRoutes } from './ag-ui/routes.ts'
import { type WhileWaiting, whileWaitingCheck } from './chat/say-while-waiting.ts'
import { findRoute } from './http/find-route.ts'
import { type Handlers, type HandlersOptions, handlersShape, serve } from './http/serve.ts'

/** How an agent is served to clients of AG-UI; all of it optional. */
export interface AgUiHandlersOptions extends HandlersOptions {
  /** True cancels the run whose client leaves before its stream ends. Default false: a client may come back. */
  readonly cancelOnClose?: boolean
  /** What a message does that arrives while the run waits for an answer. Default `steer`: the run reads it when it goes on. */
  readonly whileWaiting?: WhileWaiting
}

const shape: OptionShape<AgUiHandlersOptions> = {
  ...handlersShape,
  cancelOnClose: optional(flag),
  whileWaiting: whileWaitingCheck,
}

/**
 * Serves the sessions of an agent to clients of AG-UI 1.0, such as `HttpAgent`. A thread is a session. A run that waits is
 * an interrupt, and `resume` answers it in a run of the client's own id; the stored run stays one. Of the
 * client's messages counts what its user has said last, and what it answers to calls that wait. Throws a `UsageError` `bad_option` for an option that is refused.
 *
 * @example
 * const handlers = createAgUiHandlers(agent, { authorize, basePath: '/api/ag-ui' })
 * export const { POST } = handlers
 */
export function createAgUiHandlers(agent: Agent, options: AgUiHandlersOptions = {}): Handlers {
  const { cancelOnClose = false, whileWaiting = 'steer' } = options
  return serve(agent, { owner: 'createAgUiHandlers', options, shape }, async (exchange) => {
    const { route, ids } = findRoute(agUiRoutes, exchange.request.method, exchange.path)
    return route.answer({ ...exchange, cancelOnClose, whileWaiting }, ids.session)
  })
}
