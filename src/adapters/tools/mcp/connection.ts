import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import { systemClock } from '../../../core/ports/system-clock.ts'
import { causeWithout } from '../header-secrets.ts'
import { foreignText } from '../foreign-text.ts'
import { lossIn } from './call-failure.ts'
import { McpError } from './mcp-error.ts'
import { type McpOptions, placeOf } from './mcp-options.ts'
import { type Link, type LinkListener, openLink } from './open-link.ts'
import type { ServerSecrets } from './server-secrets.ts'
import { untilAborted } from '../until-aborted.ts'

/** The connection to one server. It is opened on first use, and reopened with growing delays after it is lost. */
export class McpConnection {
  readonly #options: McpOptions
  readonly #secrets: ServerSecrets
  readonly #listener: LinkListener
  readonly #ending = new AbortController()
  #link: Promise<Link> | undefined
  #wasLive = false

  constructor(options: McpOptions, secrets: ServerSecrets, listener: LinkListener) {
    this.#options = options
    this.#secrets = secrets
    this.#listener = listener
  }

  /** Acts on the live connection. A lost one is made again once, and the act repeated if that is safe. */
  async use<T>(signal: AbortSignal | undefined, act: (link: Link) => Promise<T>, kind?: 'repeatable'): Promise<T> {
    const link = await this.#connected(signal)
    try {
      return await act(link)
    } catch (error) {
      const loss = lossIn(error, link.client.transport?.sessionId)
      if (loss === 'none') throw error
      await link.close()
      await link.ended
      if (loss === 'perhaps' && kind !== 'repeatable') throw error
      return await act(await this.#connected(signal))
    }
  }

  /** Ends the connection and its process, including one that is being opened; afterwards none is opened. */
  async close(): Promise<void> {
    this.#ending.abort(this.#closed())
    const link = await this.#link?.catch(() => undefined)
    await link?.close()
  }

  async #connected(signal: AbortSignal | undefined): Promise<Link> {
    signal?.throwIfAborted()
    if (this.#ending.signal.aborted) throw this.#closed()
    this.#link ??= this.#open()
    return await untilAborted(this.#link, signal)
  }

  #open(): Promise<Link> {
    const opening = this.#attempts()
    const forget = () => {
      if (this.#link === opening) this.#link = undefined
    }
    opening.then(({ ended }) => ended.then(forget), forget)
    return opening
  }

  async #attempts(): Promise<Link> {
    const { retries = 3, initialDelayMs = 500, factor = 2, maxDelayMs = 10_000 } = this.#options.reconnect ?? {}
    const { clock = systemClock } = this.#options
    const isAgain = this.#wasLive
    const { signal } = this.#ending
    for (let attempt = 0; ; attempt++) {
      if (signal.aborted) throw this.#closed()
      try {
        const link = await openLink(this.#options, this.#secrets, this.#listener, signal)
        this.#wasLive = true
        if (isAgain) this.#listener.changed()
        return link
      } catch (error) {
        if (signal.aborted) throw this.#closed()
        if (!isAgain || attempt >= retries) throw this.#unreachable(error)
      }
      await clock.sleepUntil(clock.now() + Math.min(maxDelayMs, initialDelayMs * factor ** attempt), signal)
    }
  }

  #closed(): McpError {
    return new McpError('closed', `The toolset of ${placeOf(this.#options)} was closed. Make a new one.`)
  }

  #unreachable(error: unknown): McpError {
    if (error instanceof McpError) return error
    const advice =
      'command' in this.#options
        ? 'Check that the command runs and speaks MCP on its standard output.'
        : 'Check that the server runs at this address and takes the credentials it is given.'
    const what = foreignText(this.#secrets.text(thrownText(error)), 1_000)
    const text = `${placeOf(this.#options)} cannot be reached: ${what} ${advice}`
    return new McpError('unreachable', text, causeWithout(error, this.#secrets))
  }
}
