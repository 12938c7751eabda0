import type { AssistantMessage } from '../../../core/domain/message.ts'
import { maxEventBytes } from '../../../core/domain/text/json-limits.ts'
import { ModelError } from '../../../core/domain/model-error.ts'
import type { ModelEvent, RequestOption } from '../../../core/ports/model.ts'
import { inTurn, type Limiter } from '../limiter.ts'
import { cancelled, idleTimer, type IdleTimer, Interruption } from './stop-early.ts'
import { ErrorMask } from './error-mask.ts'
import {
  httpFailure,
  lineFailure,
  mostOfAPage,
  notAStream,
  redirected,
  unreadableChunk,
  type WireName,
} from './failure.ts'
import { shortText } from './failure-facts.ts'

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
  /** The requested options that the wire cannot express. */
  readonly leftOut?: readonly RequestOption[]
}

/** The connection of an SDK client: a fetch that watches the stream, and a signal that ends it. */
export interface Line {
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal
  /** Starts the idle timer, for a client with its own fetch. */
  readonly listen: () => void
  /** Masks the values that authorise such a client's requests. */
  readonly mask: ErrorMask
}

/** Builds one assistant message from a wire's items. */
export interface Answer<Item> {
  /** The name of the wire's terminal event, for the error of a stream that ends without it. */
  readonly terminal: string
  /** True once the terminal event has arrived. */
  readonly complete: boolean
  /**
   * Set on wires whose terminal event is only a reason to stop, after which servers may send more: true once content
   * came after one. Such an answer ends with its stream, and only a complete stream ends an answer that continued.
   */
  readonly hasGoneOn?: boolean
  /** Adds one item and returns its deltas. */
  take(item: Item): readonly ModelEvent[]
  message(timestamp: number): AssistantMessage
  /** The options that the stream reports as unsupported. */
  readonly leftOut?: readonly RequestOption[]
}

/** The maximum milliseconds between the terminal event and the end of the connection. */
const lingerMs = 2_000

/**
 * Streams an answer: deltas, then `finished` once the wire's terminal event was received, or else a `ModelError`. The
 * SDKs report a broken connection, an abort and a proxy's page as success; here each is an error.
 */
export function answerStream<Item>(
  call: WireCall,
  open: (line: Line) => Promise<AsyncIterable<Item>>,
  answer: Answer<Item>,
): AsyncGenerator<ModelEvent, void, void> {
  const { limiter } = call
  if (limiter === undefined) return readAnswer(call, open, answer)
  return inTurn(limiter, call.signal, () => readAnswer(call, open, answer))
}

async function* readAnswer<Item>(
  given: WireCall,
  open: (line: Line) => Promise<AsyncIterable<Item>>,
  answer: Answer<Item>,
): AsyncGenerator<ModelEvent, void, void> {
  const mask = new ErrorMask()
  const call = { ...given, mask: mask.text }
  const halt = new Interruption()
  const idle = idleTimer(() => halt.stop(silence(call)))
  let unread = 0
  const count = (bytes: number) => {
    unread += bytes
    // The SDK keeps the whole of an event in memory, and all that comes between two events.
    if (unread > maxEventBytes)
      halt.stop(
        new ModelError('api', `${call.provider} sent more than ${maxEventBytes} bytes without a complete event.`),
      )
  }
  const cancel = () => halt.stop(cancelled(call.signal))
  if (call.signal.aborted) cancel()
  call.signal.addEventListener('abort', cancel, { once: true })
  try {
    halt.signal.throwIfAborted()
    const listen = () => idle.start(call.idleTimeoutMs)
    const opened = await halt.wait(
      open({
        signal: halt.signal,
        fetch: watchedFetch(call, { mask, halt, idle, count }),
        listen,
        mask,
      }),
    )
    const items = opened[Symbol.asyncIterator]()
    for (;;) {
      const isOver = answer.complete && answer.hasGoneOn === undefined
      idle.start(isOver ? Math.min(lingerMs, call.idleTimeoutMs) : call.idleTimeoutMs)
      const next = await halt.wait(items.next())
      idle.pause()
      unread = 0
      if (next.done === true) break
      for (const event of deltasIn(call, answer, next.value)) yield event
      halt.signal.throwIfAborted()
    }
    halt.signal.throwIfAborted()
  } catch (error) {
    if (call.signal.aborted) throw cancelled(call.signal)
    if (!answer.complete || answer.hasGoneOn === true) throw lineFailure(call, error)
  } finally {
    call.signal.removeEventListener('abort', cancel)
    idle.stop()
    halt.stop()
  }
  if (!answer.complete)
    throw new ModelError('network', `${call.provider} ended before ${answer.terminal}: the answer is incomplete.`)
  const leftOut = [...(call.leftOut ?? []), ...(answer.leftOut ?? [])]
  const message = maskedEnd(messageOf(call, answer), mask)
  yield { type: 'finished', message, ...(leftOut.length > 0 ? { leftOut } : {}) }
}

/** An answer may have ended with a failure. */
function messageOf<Item>(call: WireCall, answer: Answer<Item>): AssistantMessage {
  try {
    return answer.message(call.now())
  } catch (error) {
    throw lineFailure(call, error)
  }
}

/** The text of an error is the server's and may contain secrets. */
function maskedEnd(message: AssistantMessage, mask: ErrorMask): AssistantMessage {
  const { errorMessage } = message
  return errorMessage === undefined ? message : { ...message, errorMessage: shortText(mask.text(errorMessage)) }
}

function deltasIn<Item>(call: WireCall, answer: Answer<Item>, item: Item): readonly ModelEvent[] {
  try {
    return answer.take(item)
  } catch (error) {
    const isTold = error instanceof ModelError || (error instanceof Error && 'error' in error)
    throw isTold ? error : unreadableChunk(call, error)
  }
}

interface Watch {
  readonly mask: ErrorMask
  readonly halt: Interruption
  readonly idle: IdleTimer
  /** Receives the number of bytes as they arrive. */
  readonly count: (bytes: number) => void
}

/** Checks each response before the SDK reads it, and restarts the timer at each chunk. */
function watchedFetch(call: WireCall, { mask, halt, idle, count }: Watch): typeof globalThis.fetch {
  return async (input, init) => {
    mask.note(new Headers(init?.headers ?? (input instanceof Request ? input.headers : {})))
    idle.start(call.idleTimeoutMs)
    const response = await call.fetch(input, { ...init, redirect: 'manual' })
    idle.touch()
    const failure = await failureIn(call, response, input instanceof Request ? input.url : String(input))
    if (failure !== undefined) {
      halt.stop(failure)
      throw failure
    }
    watchReads(response.body, idle, count)
    return response
  }
}

const eventStream = 'text/event-stream'

async function failureIn(call: WireCall, response: Response, asked: string): Promise<ModelError | undefined> {
  if (response.status >= 300 && response.status < 400) return redirected(call, response, asked)
  const { status, headers } = response
  if (!response.ok) return httpFailure(call, { status, headers, body: await startOf(response), asked }, call.now())
  const { mediaType = eventStream } = call
  const type = response.headers.get('content-type') ?? eventStream
  if (type.toLowerCase().includes(mediaType)) return undefined
  return notAStream(call, response, await startOf(response), mediaType)
}

async function startOf({ body }: Response): Promise<string> {
  if (body === null) return ''
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    parts.push(part)
    size += part.length
    if (size >= mostOfAPage) break
  }
  return new TextDecoder().decode(Buffer.concat(parts).subarray(0, mostOfAPage))
}

/**
 * Each request for more bytes tells the timer that the last ones have arrived. The body itself is watched, not a copy:
 * a second stream would cost as much for each piece as the package's own reading.
 */
function watchReads(body: Response['body'], idle: IdleTimer, count: Watch['count']): void {
  if (body === null) return
  const readerOf = body.getReader.bind(body)
  const getReader = () => {
    const reader = readerOf()
    const read = reader.read.bind(reader)
    return Object.assign(reader, {
      read: async () => {
        idle.touch()
        const part = await read()
        if (part.value !== undefined) count(part.value.byteLength)
        return part
      },
    })
  }
  Object.assign(body, { getReader, [Symbol.asyncIterator]: () => chunksOf(getReader()) })
}

function chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncIterator<Uint8Array, unknown, void> {
  return {
    next: () => reader.read(),
    async return() {
      await reader.cancel().catch(() => undefined)
      return { done: true, value: undefined }
    },
  }
}

function silence(call: WireCall): ModelError {
  return new ModelError(
    'network',
    `${call.provider} sent nothing for ${call.idleTimeoutMs} ms. Raise the option idleTimeoutMs for a slow server.`,
  )
}
