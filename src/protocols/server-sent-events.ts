import { checkedElsewhere, checkOptions, having, number, optional, type OptionShape } from '../domain/option-shape.ts'
import { letProcessEnd } from '../domain/platform.ts'
import { UsageError } from '../domain/usage-error.ts'
import type { EventPlace, Run, StoredEvent, StoredEventIterator } from '../index.ts'

/** How stored events become a response; all of it optional. */
export interface ResponseOptions {
  /** The event after which to begin, as `run.eventsAfter` takes it. Default 0: all of them. */
  readonly after?: EventPlace
  /**
   * What was asked: a header `Last-Event-ID` in it, as an `EventSource` that connects again sends it, goes before `after`;
   * once its signal fires nothing more is read.
   */
  readonly request?: Request
  /** Further headers of the response. */
  readonly headers?: HeadersInit
  /** Milliseconds between comments that keep a quiet connection open, at most a day. Default 15,000. */
  readonly keepAliveMs?: number
}

const mostKeepAliveMs = 86_400_000

const shape: OptionShape<ResponseOptions> = {
  after: checkedElsewhere,
  request: optional(having('a Request', 'clone')),
  headers: checkedElsewhere,
  keepAliveMs: optional(
    number(`more than 0 and at most ${mostKeepAliveMs} milliseconds`, (ms) => ms > 0 && ms <= mostKeepAliveMs),
  ),
}

/**
 * The stored events of a run as a response of Server-Sent Events: `id` is an event's `seq`, `event` its type, `data` its
 * JSON. It ends where the run is at rest; where the run is done and nothing follows, it is empty with the status 204, after
 * which an `EventSource` asks no more. Whoever cancels the body leaves the run as it goes. Rejects before there is a
 * response, as `run.eventsAfter` does: `UsageError` `bad_event_number`, also for a `Last-Event-ID` that is no number, and
 * `events_not_stored`; `StoreError`; and `UsageError` `bad_option` for an option that is refused.
 *
 * @example
 * const handler = async (request: Request) => toResponse(await agent.load(runIdIn(request)), { request })
 */
export async function toResponse(run: Run, options: ResponseOptions = {}): Promise<Response> {
  checkOptions('toResponse', options, shape)
  const { request, after = 0, keepAliveMs = 15_000 } = options
  const events = run.eventsAfter(lastEventId(request) ?? after)
  const { isOver } = await events.opened()
  const headers = new Headers(options.headers)
  if (isOver) return new Response(null, { status: 204, headers })
  headers.set('content-type', 'text/event-stream; charset=utf-8')
  headers.set('cache-control', 'no-store')
  const end = () => events.end()
  if (request?.signal.aborted === true) end()
  request?.signal.addEventListener('abort', end, { once: true })
  return new Response(bodyOf(events, keepAliveMs), { headers })
}

function lastEventId(request: Request | undefined): number | undefined {
  const given = request?.headers.get('last-event-id')?.trim() ?? ''
  if (given === '') return undefined
  if (/^\d{1,15}$/.test(given)) return Number(given)
  const wish = 'Expected the id of an event of this run, as the response gave it.'
  throw new UsageError('bad_event_number', `Last-Event-ID is ${JSON.stringify(given.slice(0, 80))}. ${wish}`)
}

/** One event is read when one is wanted; a comment is sent only where the reader has taken what came before. */
function bodyOf(events: StoredEventIterator, keepAliveMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let timer: ReturnType<typeof setInterval> | undefined
  const finish = () => clearInterval(timer)
  return new ReadableStream({
    start(controller) {
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': keep-alive\n\n'))
      }, keepAliveMs)
      letProcessEnd(timer)
    },
    async pull(controller) {
      try {
        const { done, value } = await events.next()
        if (done !== true) return controller.enqueue(encoder.encode(textOf(value)))
        finish()
        controller.close()
      } catch (error) {
        finish()
        throw error
      }
    },
    async cancel() {
      finish()
      await events.return?.()
    },
  })
}

/** JSON text has no line ends, so that all of it is one line of data. */
function textOf(event: StoredEvent): string {
  return `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
