import {
  checkedElsewhere,
  checkOptions,
  flag,
  having,
  number,
  optional,
  type OptionShape,
} from '../../core/domain/text/option-shape.ts'
import { UsageError } from '../../core/domain/text/usage-error.ts'
import type { AgentEvent, Run } from '../../index.ts'
import type { EventPlace } from '../../ports.ts'
import { type FollowedEvents, followStored, followWithDeltas } from '../follow-events.ts'
import { sseBody } from './sse-body.ts'

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
  /**
   * True gives what this process tells of work under way too, between the stored events: pieces of an answer, progress,
   * executions; of a run that another process drives, the text of its answer. Those have no `id`, so that a page that connects again gets none of them twice. Default false.
   */
  readonly deltas?: boolean
  /** False leaves out the field `event`, so that the `onmessage` of an `EventSource` hears all of them. Default true. */
  readonly named?: boolean
}

const mostKeepAliveMs = 86_400_000

const shape: OptionShape<ResponseOptions> = {
  after: checkedElsewhere,
  request: optional(having('a Request', 'clone')),
  headers: checkedElsewhere,
  keepAliveMs: optional(
    number(`more than 0 and at most ${mostKeepAliveMs} milliseconds`, (ms) => ms > 0 && ms <= mostKeepAliveMs),
  ),
  deltas: optional(flag),
  named: optional(flag),
}

/**
 * The stored events of a run as a response of Server-Sent Events: `id` is an event's `seq`, `event` its type, `data` its
 * JSON. It ends where the run is at rest; where the run is done and nothing follows, it is empty with the status 204, after
 * which an `EventSource` asks no more. Whoever cancels the body leaves the run as it goes. Rejects before there is a
 * response, as `run.eventsAfter` does: `UsageError` `bad_event_number`, also for a `Last-Event-ID` that is no number;
 * `StoreError`; and `UsageError` `bad_option` for an option that is refused.
 *
 * @example
 * const handler = async (request: Request) => toResponse(await agent.load(runIdIn(request)), { request })
 */
export async function toResponse(run: Run, options: ResponseOptions = {}): Promise<Response> {
  having('a run, as an agent gives it', 'eventsAfter')(run, { field: 'run', owner: 'toResponse' })
  checkOptions('toResponse', options, shape)
  const { request, after = 0, keepAliveMs = 15_000, deltas = false, named = true } = options
  const follow = deltas ? followWithDeltas : followStored
  const events = follow(run, lastEventId(request) ?? after)
  const { isOver } = await opened(events)
  const headers = new Headers(options.headers)
  if (isOver) return new Response(null, { status: 204, headers })
  headers.set('content-type', 'text/event-stream; charset=utf-8')
  headers.set('cache-control', 'no-store')
  const end = () => void events.end()
  if (request?.signal.aborted === true) end()
  request?.signal.addEventListener('abort', end, { once: true })
  const next = async () => {
    const event = await events.next()
    return event && textOf(event, named)
  }
  return new Response(sseBody({ next, end: () => events.end() }, keepAliveMs), { headers })
}

/** Nothing more is listened to where the run cannot be followed. */
async function opened(events: FollowedEvents): Promise<{ readonly isOver: boolean }> {
  try {
    const { isOver } = await events.opened()
    if (isOver) await events.end()
    return { isOver }
  } catch (error) {
    await events.end()
    throw error
  }
}

function lastEventId(request: Request | undefined): number | undefined {
  const given = request?.headers.get('last-event-id')?.trim() ?? ''
  if (given === '') return undefined
  if (/^\d{1,15}$/.test(given)) return Number(given)
  const wish = 'Expected the id of an event of this run, as the response gave it.'
  throw new UsageError('bad_event_number', `Last-Event-ID is ${JSON.stringify(given.slice(0, 80))}. ${wish}`)
}

/** JSON text has no line ends, so that all of it is one line of data. */
function textOf(event: AgentEvent, named: boolean): string {
  const id = event.seq === undefined ? '' : `id: ${event.seq}\n`
  const name = named ? `event: ${event.type}\n` : ''
  return `${id}${name}data: ${JSON.stringify(event)}\n\n`
}
