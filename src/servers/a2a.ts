import { missingPackage } from '../core/domain/missing-package.ts'
import { isPlainObject } from '../core/domain/text/json-copy.ts'
import { isRecord } from '../core/domain/text/json.ts'
import { expecting, oneOf, optional } from '../core/domain/text/option-shape.ts'
import type { Agent } from '../index.ts'
import type { A2aHandlersOptions } from './a2a/options.ts'
import type { OpenReads } from './http/access.ts'
import { type Handlers, handlersShape, serve } from './http/serve.ts'

export type { A2aHandlersOptions } from './a2a/options.ts'

const shape = {
  ...handlersShape,
  card: optional(expecting('fields of an agent card', (value) => isRecord(value) && isPlainObject(value))),
  cardReads: optional(oneOf('anyone' satisfies OpenReads)),
}

/**
 * Serves an agent to other agents over A2A 1.0, binding JSON-RPC. A context is a session, and a task is a run. The agent
 * card is at `/.well-known/agent-card.json` under `basePath`. A client reaches only the tasks that it has begun: those with
 * its name, which is `by` of `authorize`. Rejects with a `UsageError`: `package_missing` without `@a2a-js/sdk`, and
 * `bad_option` for an option that is refused.
 *
 * @example
 * const handlers = await createA2aHandlers(agent, { authorize: (request) => ({ by: nameOf(request) }) })
 * createServer(nodeListener(handlers)).listen(4000, '127.0.0.1')
 */
export async function createA2aHandlers(agent: Agent, options: A2aHandlersOptions = {}): Promise<Handlers> {
  const { answerA2a } = await import('./a2a/answer-a2a.ts').catch((cause: unknown) => {
    throw missingPackage('@a2a-js/sdk', cause)
  })
  return serve(agent, { owner: 'createA2aHandlers', options, shape }, (exchange) => answerA2a(exchange, options))
}
