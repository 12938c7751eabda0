import { flag, optional, type OptionShape } from '../../core/domain/text/option-shape.ts'
import type { Agent } from '../../index.ts'
import { findRoute, type RoutePath } from '../http/find-route.ts'
import { json } from '../http/http-error.ts'
import { type Exchange, type Handlers, type HandlersOptions, handlersShape, serve } from '../http/serve.ts'
import { findSession } from './find-session.ts'
import { takenUp } from './give-answers.ts'
import { type WhileWaiting, whileWaitingCheck } from './say-while-waiting.ts'

/** Options of handlers that serve the sessions of an agent to clients of a chat protocol. All are optional. */
export interface ChatHandlersOptions extends HandlersOptions {
  /** True cancels the run whose client leaves before its stream ends. Default false: a client may come back. */
  readonly cancelOnClose?: boolean
  /** The effect of a message while the run waits for an answer. Default `steer`: the run reads it when it continues. */
  readonly whileWaiting?: WhileWaiting
}

const shape: OptionShape<ChatHandlersOptions> = {
  ...handlersShape,
  cancelOnClose: optional(flag),
  whileWaiting: whileWaitingCheck,
}

/** A request of a chat protocol, with the options for its run. */
export interface ChatExchange extends Exchange {
  readonly cancelOnClose: boolean
  readonly whileWaiting: WhileWaiting
}

/** One route of a chat protocol. */
export interface ChatRoute extends RoutePath {
  readonly answer: (exchange: ChatExchange, sessionId: string) => Promise<Response>
}

/** Returns the handlers of a chat protocol; throws a `UsageError` `bad_option` for an invalid option. */
export function chatHandlers(
  agent: Agent,
  routes: readonly ChatRoute[],
  owner: string,
  options: ChatHandlersOptions,
): Handlers {
  const { cancelOnClose = false, whileWaiting = 'steer' } = options
  return serve(agent, { owner, options, shape }, async (exchange) => {
    const { route, ids } = findRoute(routes, exchange.request.method, exchange.path)
    return route.answer({ ...exchange, cancelOnClose, whileWaiting }, ids.session)
  })
}

/** Cancels the run that is in progress or waits. */
export async function stop(exchange: ChatExchange, sessionId: string): Promise<Response> {
  const found = await findSession(exchange, 'cancel', sessionId)
  const receipt = await found.session.cancel()
  if (found.run !== undefined) await takenUp(exchange, found.run)
  return json({ receipt })
}
