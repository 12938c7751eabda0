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
}
