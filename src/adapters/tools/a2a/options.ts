import * as is from '../../../core/domain/text/option-shape.ts'
import { isTextsByName } from '../../../core/domain/text/shape.ts'
import { UsageError } from '../../../core/domain/text/usage-error.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { ToolNeeds } from '../../../core/ports/tool.ts'

/** Options of `remoteAgent`. All are optional. */
export interface RemoteAgentOptions {
  /** The name of the tool. Default: the name on the agent card. */
  readonly name?: string
  /** The description of the tool, for the model. Default: the description on the agent card. */
  readonly description?: string
  /** Sent with every request, such as `authorization`. Results never contain them. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: no approval before the call. */
  readonly needs?: ToolNeeds<{ readonly prompt: string }>
  /** True leaves an agent that cannot be reached out with an event. Default: it ends the run. */
  readonly optional?: boolean
  readonly clock?: Clock
}

/** Returns an agent's address, below which its card is. Throws a `UsageError` `bad_option` for an invalid address. */
export function checkedAddress(url: string | URL, options: RemoteAgentOptions): URL {
  is.checkOptions('remoteAgent', options, {
    name: is.optional(is.text),
    description: is.optional(is.text),
    headers: is.optional(is.expecting('texts by the name of a header', isTextsByName)),
    needs: is.optional(
      is.expecting('"approval" or a function', (need) => need === 'approval' || typeof need === 'function'),
    ),
    optional: is.optional(is.flag),
    clock: is.checkedElsewhere,
  })
  const parsed = URL.parse(url)
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(parsed?.hostname ?? '')
  if (parsed?.protocol !== 'https:' && !(parsed?.protocol === 'http:' && isHere)) {
    const wish = 'Expected an https URL, or an http URL of this machine.'
    throw new UsageError('bad_option', `The address of the remote agent is refused. ${wish}`)
  }
  if (!parsed.pathname.endsWith('/')) parsed.pathname += '/'
  return parsed
}
