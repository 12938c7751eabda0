import { jsonIn } from '../../../core/domain/text/parse-json.ts'
import { isRecord } from '../../../core/domain/text/json.ts'
import { classifyFailure, isRefusalStatus, ModelError, type ModelErrorKind } from '../../../core/domain/model-error.ts'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import { withoutPassword } from './error-mask.ts'
import { retryAfter, retryDelayIn, shortText, statusIn, statusNamed, textIn } from './failure-facts.ts'

/** The names of the called server in error messages. */
export interface WireName {
  /** Provider id, e.g. `anthropic`. */
  readonly provider: string
  /** The source of the key, e.g. `ANTHROPIC_API_KEY or the option apiKey`. */
  readonly keySource: string
  /** Masks what no error may say. Default: passwords in addresses. */
  readonly mask?: (text: string) => string
}

/** A response that is not a stream, as far as it was read, with the address of its request. */
export interface FailedAnswer extends Pick<Response, 'status' | 'headers'> {
  readonly body: string
  readonly asked: string
}

/** Returns the `ModelError` for an answer with an HTTP error status; `now` is in Unix milliseconds. */
export function httpFailure(wire: WireName, answer: FailedAnswer, now: number): ModelError {
  const { status, headers, asked } = answer
  const body = answer.body.slice(0, mostOfAPage)
  const kind = classifyFailure({ status: meantStatus(answer, body), text: body })
  const text = said(wire, textIn(body)) || 'an empty body'
  const place =
    status === 404
      ? ` The request went to ${masked(wire, targetOf(asked, asked))}. Check the base URL and the model.`
      : ''
  return new ModelError(kind, `${wire.provider} answered HTTP ${status}: ${text}${place}${advice(wire, kind)}`, {
    status,
    retryAfterMs: retryAfter(headers, body, now),
  })
}

/** The maximum number of characters that are read of a response that is not a stream. */
export const mostOfAPage = 100_000

/** Returns the `ModelError` for a redirect. Following it would send the prompt and the key to another server. */
export function redirected(wire: WireName, { status, headers }: Pick<Response, 'status' | 'headers'>, from: string) {
  const to = masked(wire, targetOf(headers.get('location') ?? '', from))
  const wish = `Nothing was sent there. To call ${wire.provider} there, set it as the base URL.`
  return new ModelError('api', `${wire.provider} answered HTTP ${status} and points to ${to}. ${wish}`, { status })
}

/** Cuts the part after the path, which may contain secrets. */
function targetOf(location: string, from: string): string {
  if (!URL.canParse(location, from)) return JSON.stringify(location.slice(0, 300))
  const { protocol, host, pathname } = new URL(location, from)
  return `${protocol}//${host}${pathname}`.slice(0, 300)
}

/** Returns a server's text for a reader, masked before it is cut. */
function said(wire: WireName, text: string): string {
  return shortText(masked(wire, text))
}

function masked({ mask = withoutPassword }: WireName, text: string): string {
  return mask(text)
}

/**
 * One wire answers 400 for a wrong key, one reports throttling in a header with any status, one answers 429 for a spent
 * quota, where waiting does not help, and one answers 413 if a request exceeds the tokens of a minute.
 */
function meantStatus({ status, headers }: Pick<Response, 'status' | 'headers'>, body: string): number {
  if (status === 400 && body.includes('API_KEY_INVALID')) return 401
  if (status === 413 && (body.includes('tokens per minute') || statusIn(jsonIn(body)) === 429)) return 429
  if (status === 429 && statusIn(jsonIn(body)) === 402) return 402
  const exception = headers.get('x-amzn-errortype')?.split(':')[0]
  return (exception === undefined ? undefined : statusNamed(exception)) ?? status
}

/**
 * Returns the `ModelError` for a successful answer that is not an event stream: an error in JSON, or a page from a
 * proxy.
 */
export function notAStream(wire: WireName, response: Response, body: string, mediaType: string): ModelError {
  const parsed = jsonIn(body)
  if (isRecord(parsed) && parsed['error'] !== undefined) return inBandFailure(wire, parsed)
  const type = said(wire, response.headers.get('content-type') ?? 'no media type')
  return new ModelError(
    'api',
    `${wire.provider} answered HTTP ${response.status} with ${type}, expected an event stream (${mediaType}). ` +
      `Check the base URL ${masked(wire, response.url)}. It said: ${said(wire, textIn(body))}`,
    { status: response.status },
  )
}

/** The `ModelError` of an error event inside a started stream, classified like its HTTP counterpart. */
function inBandFailure(wire: WireName, body: unknown, unnamed?: number): ModelError {
  const text = typeof body === 'string' ? body : textOf(body)
  const status = statusIn(body)
  const kind = classifyFailure({ status: status ?? unnamed, text, inStream: true })
  const message = `${wire.provider} sent an error in the stream: ${said(wire, textIn(text))}${advice(wire, kind)}`
  return new ModelError(kind, message, { isRefusal: isRefusalStatus(status), retryAfterMs: retryDelayIn(body) })
}

/** Returns the `ModelError` for an exception while a stream was opened or read. */
export function lineFailure(wire: WireName, error: unknown): ModelError {
  if (error instanceof ModelError) return error
  const body = inBandBody(error)
  if (body !== undefined) return inBandFailure(wire, body, error instanceof StreamedFailure ? error.unnamed : undefined)
  if (error instanceof SyntaxError) return unreadableChunk(wire, error)
  if (isBadAddress(error)) {
    return new ModelError('api', `${wire.provider} has an invalid base URL. Check the option baseURL.`)
  }
  if (isDefect(error))
    return broken(wire, 'api', `${wire.provider} failed because of a defect in its package or adapter`, error)
  return broken(wire, 'network', `${wire.provider} could not be reached, or the connection broke`, error)
}

/**
 * Returns true for a defect, which another attempt would meet again; errors of fetch have the same class and are known
 * by their texts.
 */
function isDefect(error: unknown): boolean {
  const last = chainOf(error).at(-1)
  const isOfCode = last instanceof TypeError || last instanceof ReferenceError || last instanceof RangeError
  return (
    isOfCode && !('code' in last) && !/fetch|terminated|network|load failed|socket|connect|abort/i.test(last.message)
  )
}

/**
 * Returns the `ModelError` for a chunk that is not JSON or does not fit the wire. It was damaged in transit, so a retry
 * may succeed.
 */
export function unreadableChunk(wire: WireName, error: unknown): ModelError {
  return broken(wire, 'network', `${wire.provider} sent a chunk that cannot be read`, error)
}

/** The piece of the text that an error of `JSON.parse` shows, which may be a piece of a key. */
const snippet = /, (?:\.\.\.)?"[^]{0,60}?"(?:\.\.\.)?(?= is not valid JSON)/g

/** The error of a broken wire. A cause whose text held a secret is not handed on. */
function broken(wire: WireName, kind: ModelErrorKind, what: string, error: unknown): ModelError {
  const causes = chainOf(error).map(thrownText).join(' ')
  const text = masked(wire, causes).replaceAll(snippet, '')
  return new ModelError(kind, `${what}: ${shortText(text)}`, text === causes ? { cause: error } : {})
}

/** The error of an event that says that the call failed. */
class StreamedFailure extends Error {
  /** All that the event says of the failure. */
  readonly error: unknown
  /** The HTTP status that the failure counts as if its body names none. */
  readonly unnamed: number | undefined

  constructor(error: unknown, unnamed?: number) {
    super('The stream reported a failure.')
    this.error = error
    this.unnamed = unnamed
  }
}

/** Returns the error that an answer throws for an event that reports a failed call; `body` is its content. */
export function streamedFailure(body: unknown): Error {
  return new StreamedFailure(body)
}

/**
 * Returns the error that an answer throws if its server reports a failure in place of an end. `told` is the server's
 * whole message, or a stop reason. It counts as an outage unless it names another status.
 */
export function outage(told: unknown): Error {
  return new StreamedFailure(typeof told === 'string' ? { message: `The answer ended with "${told}".` } : told, 502)
}

/** The SDKs throw an error event as an error: with its body in `error`, after its message, or by the exception's name. */
function inBandBody(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined
  if ('error' in error) return error.error ?? undefined
  if (error.name === 'ApiError') return jsonIn(error.message.slice(error.message.indexOf('{'))) ?? error.message
  return statusNamed(error.name) === undefined && !error.name.endsWith('Exception')
    ? undefined
    : { type: error.name, message: error.message }
}

function isBadAddress(error: unknown): boolean {
  return chainOf(error).some((one) => one instanceof Error && 'code' in one && one.code === 'ERR_INVALID_URL')
}

function advice(wire: WireName, kind: ModelErrorKind): string {
  return kind === 'auth' ? ` Check ${wire.keySource}.` : ''
}

/** An error and what it was caused by, which may be the error itself again. */
function chainOf(error: unknown): readonly unknown[] {
  const chain = [error]
  for (let last = error; last instanceof Error && last.cause !== undefined && chain.length < 8; last = last.cause) {
    chain.push(last.cause)
  }
  return chain
}

/** Returns the JSON of a value, or a note if it is nested too deeply. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch (error) {
    return thrownText(error)
  }
}
