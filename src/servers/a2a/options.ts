import type { ResolveName } from '../../adapters/tools/openapi.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { JsonObject } from '../../index.ts'
import type { OpenReads } from '../http/access.ts'
import type { HandlersOptions } from '../http/serve.ts'

/** Options of `createA2aHandlers`. All are optional. */
export interface A2aHandlersOptions extends HandlersOptions {
  /**
   * Fields of the agent card, as JSON of the protocol: `description`, `version`, `skills`, `provider`, `securitySchemes`
   * and others. Its name, interface and capabilities are always those of the agent and this server. Default: one skill.
   */
  readonly card?: JsonObject
  /** `anyone` serves the agent card without a credential. Default: `authorize` is asked, with the action `read`. */
  readonly cardReads?: OpenReads
  /** Notifications to clients about their tasks. Default: none, and a client that asks for them is refused. */
  readonly push?: A2aPushOptions
}

/** The receivers of notifications. Redirects are not followed. */
export interface A2aPushOptions {
  /**
   * The origins that clients may name, such as `https://client.example`. A private address is reached only if an origin
   * names it itself, such as `http://127.0.0.1:4000`.
   */
  readonly origins: readonly string[]
  /** Secrets of Standard Webhooks, such as `whsec_…` in base64, of 24 to 64 bytes: the first one signs. */
  readonly secrets: readonly string[]
  readonly clock?: Clock
  /** Default: the system's. */
  readonly resolve?: ResolveName
}
