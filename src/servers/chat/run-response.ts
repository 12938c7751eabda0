import type { AgentEvent, Run } from '../../index.ts'
import { sseBody } from '../http/sse-body.ts'

/** Makes texts of Server-Sent Events of the events of a run. */
export interface RunTexts {
  begin(): string
  /** Empty where a client is told nothing of an event. */
  encode(event: AgentEvent): string
  /** Once the run rests. */
  finish(): string
}

/** How a run becomes a response. */
export interface RunResponseOptions {
  readonly request: Request
  readonly headers: Readonly<Record<string, string>>
  /** Number of the event after which to begin. */
  readonly after: number
  /** Is called where the client leaves before the end. */
  readonly onLeft?: (() => Promise<unknown>) | undefined
}

const keepAliveMs = 15_000

/**
 * The events of a run as a response in the words of a protocol. It ends where the run rests; where the run cannot be
 * followed any more it breaks off, so that no client takes that for the end.
 */
export async function runResponse(
  run: Run,
  texts: RunTexts,
  { request, headers, after, onLeft }: RunResponseOptions,
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
      return texts.begin()
    }
    while (state === 'following') {
      const { done, value } = await events.next()
      const text = done === true ? '' : texts.encode(value)
      if (text !== '') return text
      if (done !== true || state !== 'following') continue
      state = 'finished'
      return texts.finish()
    }
    return undefined
  }
  const leave = () => void end().catch(() => undefined)
  if (request.signal.aborted) leave()
  request.signal.addEventListener('abort', leave, { once: true })
  const ended = () => request.signal.removeEventListener('abort', leave)
  const source = {
    next,
    end: async ({ isClosed }: { readonly isClosed: boolean }) => {
      ended()
      if (isClosed) await end()
      else await events.return()
    },
  }
  return new Response(sseBody(source, keepAliveMs), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', ...headers },
  })
}
