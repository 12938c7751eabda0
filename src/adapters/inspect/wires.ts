import { badOption } from '../../core/domain/text/option-shape.ts'
import type { Wire } from './queue-sender.ts'

const deliveryTime = 5_000

/** The buffered bytes of a socket above which its receiver counts as too slow. */
const mostBuffered = 4_000_000

/** Connects to a receiver on this machine, by a socket or by posts. Throws a `UsageError` for another address. */
export function wireTo(url: string): Wire {
  const address = URL.canParse(url) ? new URL(url) : undefined
  const wish =
    'Expected ws:// or http:// and an address of this machine, such as ws://127.0.0.1:8080. To send elsewhere, use `send`.'
  const field = { field: 'url', owner: 'statelyInspector' }
  if (address === undefined || !['ws:', 'http:'].includes(address.protocol)) throw badOption(field, url, wish)
  if (!isLoopback(address.hostname)) throw badOption(field, url, wish)
  return address.protocol === 'ws:' ? new SocketWire(address.href) : new PostWire(address.href)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

class PostWire implements Wire {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #closed = new AbortController()

  constructor(url: string) {
    const [address = '', token] = url.split('#token=')
    this.#url = address
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
    this.#headers = { 'content-type': 'application/x-ndjson', ...authorization }
  }

  async deliver(texts: readonly string[]): Promise<void> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body: texts.join('\n'),
      redirect: 'error',
      signal: AbortSignal.any([this.#closed.signal, AbortSignal.timeout(deliveryTime)]),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`The receiver answered ${response.status}.`)
  }

  close(): void {
    this.#closed.abort()
  }
}

class SocketWire implements Wire {
  readonly #url: string
  #socket: Promise<WebSocket> | undefined

  constructor(url: string) {
    this.#url = url
  }

  async deliver(texts: readonly string[]): Promise<void> {
    const socket = await (this.#socket ??= this.#open())
    if (socket.readyState !== WebSocket.OPEN) {
      this.#socket = undefined
      throw new Error('The receiver is gone.')
    }
    if (socket.bufferedAmount > mostBuffered) throw new Error('The receiver is too slow.')
    for (const text of texts) socket.send(text)
  }

  close(): void {
    void this.#socket?.then(
      (socket) => socket.close(),
      () => {},
    )
  }

  async #open(): Promise<WebSocket> {
    const socket = new WebSocket(this.#url)
    const opened = Promise.withResolvers<WebSocket>()
    const timer = setTimeout(() => opened.reject(new Error('The receiver does not answer.')), deliveryTime)
    socket.addEventListener('open', () => opened.resolve(socket))
    socket.addEventListener('error', () => opened.reject(new Error('There is no receiver.')))
    try {
      return await opened.promise
    } catch (error) {
      this.#socket = undefined
      socket.close()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}
