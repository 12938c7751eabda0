import * as is from '../../core/domain/text/option-shape.ts'
import { UsageError } from '../../core/domain/text/usage-error.ts'
import type { AgentEvent, Run } from '../../index.ts'
import { sseBody } from './sse-body.ts'

/** Options of a response of stored events; all are optional. */
export interface ResponseOptions {
  /** The number of the event after which to begin, as `run.events` takes it. Default 0: all of them. */
  readonly after?: number
  /**
   * The request: its header `Last-Event-ID`, which an `EventSource` sends when it reconnects, precedes `after`; its
   * signal ends the reading.
   */
  readonly request?: Request
  /** Further headers of the response. */
  readonly headers?: HeadersInit
  /** Milliseconds between comments that keep a quiet connection open, at most a day. Default 15,000. */
  readonly keepAliveMs?: number
  /**
   * True adds events of work in progress between the stored events: pieces of an answer, progress, executions; for a
   * run that another process drives, the text of its answer. Those have no `id`, so that a page that connects again
   * gets none of them twice. Default false.
   */
  readonly deltas?: boolean
  /** False ends the response when everything that is stored was given. Default true: when the run rests, too. */
  readonly wait?: boolean
  /**
   * False leaves out the field `event`, so that the `onmessage` of an `EventSource` receives all of them. Default true.
   */
  readonly named?: boolean
}

const mostKeepAliveMs = 86_400_000

const shape: is.OptionShape<ResponseOptions> = {
  after: is.checkedElsewhere,
  request: is.optional(is.having('a Request', 'clone')),
  headers: is.checkedElsewhere,
  keepAliveMs: is.optional(
    is.number(`more than 0 and at most ${mostKeepAliveMs} milliseconds`, (ms) => ms > 0 && ms <= mostKeepAliveMs),
  ),
  deltas: is.optional(is.flag),
  wait: is.optional(is.flag),
  named: is.optional(is.flag),
}

/**
 * Returns the stored events of a run as a response of Server-Sent Events: `id` is an event's `seq`, `event` its type,
 * `data` its JSON. It ends when the run waits or is done. If the run is done and no event is left, the response is
 * empty with the status 204, after which an `EventSource` stops. Cancelling the body does not affect the run. Rejects
 * before there is a response, as `run.events` does: `UsageError` `bad_event_number`, also for a `Last-Event-ID` that is
 * not a number; `StoreError`; and `UsageError` `bad_option` for an invalid option.
 *
 * @example
 * const handler = async (request: Request) => toResponse(await agent.load(runIdIn(request)), { request })
 */
export async function toResponse(run: Run, options: ResponseOptions = {}): Promise<Response> {
  is.having('a run, as an agent gives it', 'events')(run, { field: 'run', owner: 'toResponse' })
  is.checkOptions('toResponse', options, shape)
  const { request, after = 0, keepAliveMs = 15_000, deltas = false, wait = true, named = true } = options
  const signal = request?.signal
  const wanted = { after: lastEventId(request) ?? after, deltas, wait, ...(signal === undefined ? {} : { signal }) }
  const events = run.events(wanted)
  const { isOver } = await events.opened()
  const headers = new Headers(options.headers)
  if (isOver) {
    await events.return()
    return new Response(null, { status: 204, headers })
  }
  headers.set('content-type', 'text/event-stream; charset=utf-8')
  headers.set('cache-control', 'no-store')
  const next = async () => {
    const { done, value } = await events.next()
    return done === true ? undefined : textOf(value, named)
  }
  return new Response(sseBody({ next, end: async () => void (await events.return()) }, keepAliveMs), { headers })
}

function lastEventId(request: Request | undefined): number | undefined {
  const given = request?.headers.get('last-event-id')?.trim() ?? ''
  if (given === '') return undefined
  if (/^\d{1,15}$/.test(given)) return Number(given)
  const wish = 'Expected the id of an event of this run, as the response gave it.'
  throw new UsageError('bad_event_number', `Last-Event-ID is ${JSON.stringify(given.slice(0, 80))}. ${wish}`)
}

/** JSON text has no line ends and fits one line of data. */
function textOf(event: AgentEvent, named: boolean): string {
  const id = event.seq === undefined ? '' : `id: ${event.seq}\n`
  const name = named ? `event: ${event.type}\n` : ''
  return `${id}${name}data: ${JSON.stringify(event)}\n\n`
}
