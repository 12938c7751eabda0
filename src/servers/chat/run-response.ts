import type { AgentEvent, Run } from '../../index.ts'
import { sseBody } from '../http/sse-body.ts'

/** Encodes the events of a run as JSON objects of a protocol. */
export interface ProtocolEncoder {
  begin(): readonly object[]
  /** Returns no objects for an event that the protocol does not have. */
  encode(event: AgentEvent): readonly object[]
  /** Called once the run rests. */
  finish(): readonly object[]
}

/** Options of a run's response. */
export interface RunResponseOptions {
  readonly request: Request
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** The last text of a whole response. */
  readonly end?: string
  /** The number of the event after which the response begins. */
  readonly after: number
  /** Called if the client leaves before the end. */
  readonly onLeft?: (() => Promise<unknown>) | undefined
}

const keepAliveMs = 15_000

/**
 * Returns the events of a run as a response of a protocol. The response ends when the run waits or is done. If the run
 * cannot be followed any more, the response breaks off, so that no client mistakes that for the end.
 */
export async function runResponse(
  run: Run,
  encoder: ProtocolEncoder,
  { request, headers, end: last = '', after, onLeft }: RunResponseOptions,
): Promise<Response> {
  const events = run.events({ after })
  let state: 'begun' | 'following' | 'finished' | 'left' = 'begun'
  const end = async () => {
    if (state === 'left') return
    const isLeft = state !== 'finished'
    state = 'left'
    await events.return()
    if (isLeft) await onLeft?.()
  }
  await events.opened()
  const next = async (): Promise<string | undefined> => {
    if (state === 'begun') {
      state = 'following'
      return textOf(encoder.begin())
    }
    while (state === 'following') {
      const { done, value } = await events.next()
      const text = done === true ? '' : textOf(encoder.encode(value))
      if (text !== '') return text
      // The response is of one run, also where the conversation was handed over.
      if ((done !== true && value.type !== 'run.ended') || state !== 'following') continue
      state = 'finished'
      return textOf(encoder.finish()) + last
    }
    return undefined
  }
  const leave = () => void end().catch(() => undefined)
  if (request.signal.aborted) leave()
  request.signal.addEventListener('abort', leave, { once: true })
  const ended = async ({ isClosed }: { readonly isClosed: boolean }) => {
    request.signal.removeEventListener('abort', leave)
    if (isClosed) await end()
    else await events.return()
  }
  return new Response(sseBody({ next, end: ended }, keepAliveMs), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', ...headers },
  })
}

function textOf(objects: readonly object[]): string {
  return objects.map((object) => `data: ${JSON.stringify(object)}\n\n`).join('')
}
