import type { AgentEvent } from '../domain/event.ts'
import { checkedResponse, RequestError } from '../domain/request-error.ts'
import { systemClock } from '../ports/system-clock.ts'
import type { FollowedEvents, FollowOptions, ServedRun } from './followed-events.ts'

/** The milliseconds before a lost connection is retried: the first and the longest wait. */
const againMs = 500
const mostAgainMs = 5_000

/** Reads the events of a run from a server, and reconnects after the last event if the connection is lost. */
export class ServedEvents implements FollowedEvents {
  readonly #run: ServedRun
  readonly #wanted: FollowOptions
  readonly #ending = new AbortController()
  readonly #events: AsyncGenerator<AgentEvent, undefined>
  #first: Promise<IteratorResult<AgentEvent>> | undefined
  readonly #found = Promise.withResolvers<{ readonly isOver: boolean }>()
  #last: number

  constructor(run: ServedRun, wanted: FollowOptions) {
    this.#run = run
    this.#wanted = wanted
    this.#last = wanted.after ?? 0
    this.#events = this.#read()
    this.#found.promise.catch(() => undefined)
    const { signal } = wanted
    if (signal?.aborted === true) this.#ending.abort()
    signal?.addEventListener('abort', () => this.#ending.abort(), { once: true, signal: this.#ending.signal })
  }

  opened(): Promise<{ readonly isOver: boolean }> {
    this.#first ??= this.#events.next()
    const { resolve, reject } = this.#found
    this.#first.then(() => resolve({ isOver: false }), reject)
    return this.#found.promise
  }

  next(): Promise<IteratorResult<AgentEvent>> {
    const first = this.#first
    this.#first = undefined
    return first ?? this.#events.next()
  }

  async return(): Promise<IteratorResult<AgentEvent>> {
    this.#ending.abort()
    return this.#events.return(undefined)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async *#read(): AsyncGenerator<AgentEvent, undefined> {
    const { signal } = this.#ending
    for (let losses = 0; !signal.aborted; losses++) {
      try {
        const response = await this.#ask()
        this.#found.resolve({ isOver: response.status === 204 })
        let last: AgentEvent['type'] | undefined
        let isQuiet = true
        for await (const events of readEvents(response)) {
          isQuiet = false
          losses = 0
          for (const event of events) {
            this.#last = event.seq ?? this.#last
            if (event.seq !== undefined) last = event.type
            yield event
          }
        }
        if (isQuiet || last === 'run.waiting' || last === 'run.ended') return undefined
      } catch (cause) {
        if (signal.aborted) return undefined
        const text = 'The connection was lost. It is made again.'
        const error = cause instanceof RequestError ? cause : new RequestError(0, 'connection_lost', text, cause)
        if (error.status >= 400 && error.status < 500) throw error
        this.#run.lost?.(error)
      }
      await systemClock.sleepUntil(Date.now() + Math.min(againMs * 2 ** losses, mostAgainMs), signal)
    }
    return undefined
  }

  #ask(): Promise<Response> {
    const { url, headers, fetch = globalThis.fetch } = this.#run
    const { deltas = true, wait = true } = this.#wanted
    const query = `after=${this.#last}${deltas ? '' : '&deltas=0'}${wait ? '' : '&wait=0'}`
    const init = { signal: this.#ending.signal, ...(headers === undefined ? {} : { headers: headers() }) }
    return checkedResponse(fetch(`${url}/events?${query}`, init))
  }
}

/** Reads the events of a Server-Sent Events response in batches, as they arrive; a comment gives an empty batch. */
export async function* readEvents({ body }: Response): AsyncGenerator<readonly AgentEvent[]> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let parts: string[] = []
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) return
      const text = decoder.decode(value, { stream: true })
      // An event is one line of data, whole at its end.
      const end = text.lastIndexOf('\n')
      if (end < 0) {
        parts.push(text)
        continue
      }
      const lines = [...parts, text.slice(0, end)].join('').split('\n')
      parts = [text.slice(end + 1)]
      yield lines.flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as AgentEvent] : []))
    }
  } finally {
    await reader?.cancel().catch(() => undefined)
  }
}
