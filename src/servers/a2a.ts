import { loadPackage } from '../core/domain/load-package.ts'
import { isPlainObject } from '../core/domain/text/json-copy.ts'
import { isRecord } from '../core/domain/text/json.ts'
import { callback, checkOptions, expecting, having, listOf, oneOf, optional } from '../core/domain/text/option-shape.ts'
import { isText } from '../core/domain/text/shape.ts'
import type { Agent } from '../index.ts'
import type { A2aHandlersOptions } from './a2a/options.ts'
import type { OpenReads } from './http/access.ts'
import { isOrigin } from './http/cors.ts'
import { type Exchange, type Handlers, handlersShape, serve } from './http/serve.ts'

export type { A2aHandlersOptions, A2aPushOptions } from './a2a/options.ts'

/** The handlers of an agent, and the function that ends its notifications. */
export interface A2aHandlers extends Handlers {
  /** Sends no further notification. Those that have not arrived are sent by the next server of this agent. */
  close(): Promise<void>
}

const shape = {
  ...handlersShape,
  card: optional(expecting('fields of an agent card', (value) => isRecord(value) && isPlainObject(value))),
  cardReads: optional(oneOf('anyone' satisfies OpenReads)),
  push: optional(expecting('{ origins, secrets }', isRecord)),
}

const pushShape = {
  origins: listOf(expecting('an origin such as https://client.example', isOrigin)),
  secrets: expecting('at least one secret', (value) => Array.isArray(value) && value.length > 0 && value.every(isText)),
  clock: optional(having('a clock', 'now', 'sleepUntil')),
  resolve: optional(callback),
}

/**
 * Serves an agent to other agents over A2A 1.0, binding JSON-RPC. A context is a session, and a task is a run. The
 * agent card is at `/.well-known/agent-card.json` under `basePath`. A client reaches only the tasks that it has begun
 * under its name, which is `by` of `authorize`. Rejects with a `UsageError`: `package_missing` without `@a2a-js/sdk`,
 * and `bad_option` for an invalid option.
 *
 * @example
 * const handlers = await createA2aHandlers(agent, { authorize: (request) => ({ by: nameOf(request) }) })
 * createServer(nodeListener(handlers)).listen(4000, '127.0.0.1')
 */
export async function createA2aHandlers(agent: Agent, options: A2aHandlersOptions = {}): Promise<A2aHandlers> {
  const { answerA2a, openPush } = await loadPackage('@a2a-js/sdk', () => import('./a2a/answer-a2a.ts'))
  const given = options.push && isRecord(options.push) ? options.push : undefined
  if (given !== undefined) checkOptions('createA2aHandlers, push', given, pushShape)
  const answer = (exchange: Exchange) => answerA2a(exchange, options, push)
  const handlers = serve(agent, { owner: 'createA2aHandlers', options, shape }, answer)
  // Last, because it begins to notify.
  const push = given && (await openPush(agent, given))
  return { ...handlers, close: async () => push?.close() }
}
