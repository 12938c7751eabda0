import type { AssistantMessage } from '../../domain/message.ts'
import { ModelError } from '../../domain/model-error.ts'
import type { ModelEvent, RequestOption } from '../../ports/model.ts'
import { inTurn, type Limiter } from '../limiter.ts'
import { idleTimer, type IdleTimer, cancelled, orStopped } from './stop-early.ts'
import { httpFailure, lineFailure, notAStream, unreadableChunk, type WireName } from './failure.ts'

/** One call of a streaming wire. */
export interface WireCall extends WireName {
  readonly signal: AbortSignal
  /** Milliseconds without a byte, the wait for the first included, after which the call fails. */
  readonly idleTimeoutMs: number
  readonly fetch: typeof globalThis.fetch
  /** Unix milliseconds. */
  readonly now: () => number
  /** Says when the call may begin. */
  readonly limiter?: Limiter | undefined
  /** The media type of a stream. Default `text/event-stream`. */
  readonly mediaType?: string
  /** What the request asked for and the wire has no place for. */
  readonly leftOut?: readonly RequestOption[]
}

/** What an SDK client is given: a fetch that watches the line, and a signal that ends it. */
export interface Line {
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal
  /** Begins to count silence, for a client with a fetch of its own. */
  readonly listen: () => void
}

/** Builds one assistant message from a wire's items. */
export interface Answer<Item> {
  /** What the wire calls its terminal event, for the error of a stream that ends without it. */
  readonly terminal: string
  /** True once the terminal event was taken. */
  readonly complete: boolean
  /** Takes one item in and gives the deltas it brings. */
  take(item: Item): readonly ModelEvent[]
  message(timestamp: number): AssistantMessage
  /** What the stream itself says was left out. */
  readonly leftOut?: readonly RequestOption[]
}

/** How long a server may keep the line open after its terminal event, in milliseconds. */
const lingerMs = 2_000

/**
 * Streams an answer: deltas, then `finished` once the wire's terminal event was seen, else a `ModelError`.
 * The SDKs report a cut, an abort and a page from a proxy as success; here each is an error.
 */
export function answerStream<Item>(
  call: WireCall,
  open: (line: Line) => Promise<AsyncIterable<Item>>,
  answer: Answer<Item>,
): AsyncGenerator<ModelEvent, void, void> {
  const { limiter } = call
  if (limiter === undefined) return read(call, open, answer)
  return inTurn(limiter, call.signal, () => read(call, open, answer))
}

async function* read<Item>(
  call: WireCall,
  open: (line: Line) => Promise<AsyncIterable<Item>>,
  answer: Answer<Item>,
): AsyncGenerator<ModelEvent, void, void> {
  const stop = new AbortController()
  const idle = idleTimer(() => stop.abort(silence(call)))
  const cancel = () => stop.abort(cancelled(call.signal))
  if (call.signal.aborted) cancel()
  call.signal.addEventListener('abort', cancel, { once: true })

  const wait = async <T>(work: () => Promise<T>): Promise<T> => {
    stop.signal.throwIfAborted()
    try {
      return await orStopped(work(), stop.signal, () => stop.signal.reason)
    } finally {
      idle.pause()
    }
  }
  const patience = () => (answer.complete ? Math.min(lingerMs, call.idleTimeoutMs) : call.idleTimeoutMs)

  try {
    const listen = () => idle.start(call.idleTimeoutMs)
    const line = { signal: stop.signal, fetch: watchedFetch(call, stop, idle), listen }
    const items = (await wait(() => open(line)))[Symbol.asyncIterator]()
    const readItem = () => {
      idle.start(patience())
      return items.next()
    }
    for (let next = await wait(readItem); !next.done; next = await wait(readItem))
      yield* deltasIn(call, answer, next.value)
    stop.signal.throwIfAborted()
  } catch (error) {
    if (call.signal.aborted) throw cancelled(call.signal)
    if (!answer.complete) throw lineFailure(call, error)
  } finally {
    call.signal.removeEventListener('abort', cancel)
    stop.abort()
  }
  if (!answer.complete) throw cutShort(call, answer.terminal)
  const leftOut = [...(call.leftOut ?? []), ...(answer.leftOut ?? [])]
  yield { type: 'finished', message: answer.message(call.now()), ...(leftOut.length > 0 ? { leftOut } : {}) }
}

function deltasIn<Item>(call: WireCall, answer: Answer<Item>, item: Item): readonly ModelEvent[] {
  try {
    return answer.take(item)
  } catch (error) {
    throw error instanceof Error && 'error' in error ? error : unreadableChunk(call, error)
  }
}

/** Judges each response before the SDK sees it, and tells the timer of every byte. */
function watchedFetch(call: WireCall, stop: AbortController, idle: IdleTimer): typeof globalThis.fetch {
  return async (input, init) => {
    idle.start(call.idleTimeoutMs)
    const response = await call.fetch(input, init)
    idle.touch()
    const failure = await failureIn(call, response)
    if (failure !== undefined) {
      stop.abort(failure)
      throw failure
    }
    return response.body === null ? response : new Response(response.body.pipeThrough(telling(idle)), response)
  }
}

const eventStream = 'text/event-stream'

async function failureIn(call: WireCall, response: Response): Promise<ModelError | undefined> {
  if (!response.ok) return httpFailure(call, response, await response.text(), call.now())
  const { mediaType = eventStream } = call
  const type = response.headers.get('content-type') ?? eventStream
  if (type.toLowerCase().includes(mediaType)) return undefined
  return notAStream(call, response, await response.text(), mediaType)
}

function telling(idle: IdleTimer): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    transform(bytes, controller) {
      idle.touch()
      controller.enqueue(bytes)
    },
  })
}

function silence(call: WireCall): ModelError {
  return new ModelError(
    'network',
    `${call.provider} sent nothing for ${call.idleTimeoutMs} ms. Raise the option idleTimeoutMs for a slow server.`,
  )
}

function cutShort(call: WireCall, terminal: string): ModelError {
  return new ModelError('network', `${call.provider} ended before ${terminal}: the answer is incomplete.`)
}
