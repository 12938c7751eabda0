import type { AgentEvent } from '../domain/event.ts'
import { checkedResponse, RequestError } from '../domain/request-error.ts'
import { systemClock } from '../ports/system-clock.ts'
import type { FollowedEvents, FollowOptions, ServedRun } from './followed-events.ts'

/** The milliseconds before a lost connection is retried: the first and the longest wait. */
const againMs = 500
const mostAgainMs = 5_000

/** Reads the events of a run from a server, and reconnects after the last event if the connection is lost. */
export function servedEvents(
  run: ServedRun,
  { after = 0, deltas = true, wait = true, signal }: FollowOptions,
): FollowedEvents {
  const ending = new AbortController()
  const found = Promise.withResolvers<{ readonly isOver: boolean }>()
  found.promise.catch(() => undefined)
  const events = read()
  let first: Promise<IteratorResult<AgentEvent>> | undefined
  let lastSeq = after
  if (signal?.aborted === true) ending.abort()
  signal?.addEventListener('abort', () => ending.abort(), { once: true, signal: ending.signal })

  function ask(): Promise<Response> {
    const { url, headers, fetch = globalThis.fetch } = run
    const query = `after=${lastSeq}${deltas ? '' : '&deltas=0'}${wait ? '' : '&wait=0'}`
    const init = { signal: ending.signal, ...(headers === undefined ? {} : { headers: headers() }) }
    return checkedResponse(fetch(`${url}/events?${query}`, init))
  }

  async function* read(): AsyncGenerator<AgentEvent, undefined> {
    for (let losses = 0; !ending.signal.aborted; losses++) {
      try {
        const response = await ask()
        found.resolve({ isOver: response.status === 204 })
        let last: AgentEvent['type'] | undefined
        let isQuiet = true
        for await (const batch of readEvents(response)) {
          isQuiet = false
          losses = 0
          for (const event of batch) {
            lastSeq = event.seq ?? lastSeq
            if (event.seq !== undefined) last = event.type
            yield event
          }
        }
        if (isQuiet || last === 'run.waiting' || last === 'run.ended') return undefined
      } catch (cause) {
        if (ending.signal.aborted) return undefined
        const text = 'The connection was lost. It is made again.'
        const error = cause instanceof RequestError ? cause : new RequestError(0, 'connection_lost', text, cause)
        if (error.status >= 400 && error.status < 500) throw error
        run.lost?.(error)
      }
      await systemClock.sleepUntil(Date.now() + Math.min(againMs * 2 ** losses, mostAgainMs), ending.signal)
    }
    return undefined
  }

  return {
    opened: () => {
      first ??= events.next()
      first.then(() => found.resolve({ isOver: false }), found.reject)
      return found.promise
    },
    next: () => {
      const opened = first
      first = undefined
      return opened ?? events.next()
    },
    return: async () => {
      ending.abort()
      return events.return(undefined)
    },
    [Symbol.asyncIterator]() {
      return this
    },
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
