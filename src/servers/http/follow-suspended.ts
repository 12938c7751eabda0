import type { AgentEvent } from '../../index.ts'
import { sseBody } from './sse-body.ts'
import type { Asked } from './asked.ts'

/** The minimum milliseconds between two signs, and between comments that keep a quiet connection open. */
const pauseMs = 250
const keepAliveMs = 15_000

/**
 * Sends a sign, `data: {}`, at once and whenever the waiting runs may have changed: a run of this process began to wait
 * or was answered, or another process has written. At most one sign is pending at a time.
 */
export async function followSuspended({ agent, request }: Asked): Promise<Response> {
  const signs = new Signs()
  const stops = [
    agent.on((event) => kinds.has(event.type) && signs.tell()),
    agent.store?.watch(undefined, () => signs.tell()),
  ]
  const end = async () => {
    signs.end()
    for (const stop of stops.splice(0)) stop?.()
    request.signal.removeEventListener('abort', leave)
  }
  const leave = () => void end()
  if (request.signal.aborted) leave()
  request.signal.addEventListener('abort', leave, { once: true })
  return new Response(sseBody({ next: () => signs.next(), end }, keepAliveMs), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
  })
}

/** At most one sign waits; after each, others gather for a moment. */
class Signs {
  #isNew = true
  #isOver = false
  #wake: (() => void) | undefined
  #pause: Promise<unknown> = Promise.resolve()

  tell(): void {
    this.#isNew = true
    this.#wake?.()
  }

  end(): void {
    this.#isOver = true
    this.#wake?.()
  }

  async next(): Promise<string | undefined> {
    await this.#pause
    while (!this.#isNew && !this.#isOver) await new Promise<void>((resolve) => (this.#wake = resolve))
    if (this.#isOver) return undefined
    this.#isNew = false
    this.#pause = new Promise((resolve) => setTimeout(resolve, pauseMs))
    return 'data: {}\n\n'
  }
}

const kinds: ReadonlySet<AgentEvent['type']> = new Set([
  'run.waiting',
  'run.resumed',
  'run.ended',
  'call.suspended',
  'call.settled',
])
