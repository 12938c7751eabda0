import { isRecord } from '../../domain/json.ts'
import { classifyFailure, ModelError, type ModelErrorKind } from '../../domain/model-error.ts'
import { parseJson, retryAfter, retryDelayIn, statusIn, statusNamed, textIn } from './failure-facts.ts'

/** What error messages say of the server that is called. */
export interface WireName {
  /** Provider id, e.g. `anthropic`. */
  readonly provider: string
  /** Where the key comes from, e.g. `ANTHROPIC_API_KEY or the option apiKey`. */
  readonly keySource: string
}

/** The `ModelError` of an answer with an HTTP error status; `now` is in unix milliseconds. */
export function httpFailure(
  wire: WireName,
  response: Pick<Response, 'status' | 'headers'>,
  body: string,
  now: number,
): ModelError {
  const { status, headers } = response
  const kind = classifyFailure({ status: meantStatus(response, body), text: body })
  const text = textIn(body) || 'an empty body'
  return new ModelError(kind, `${wire.provider} answered HTTP ${status}: ${text}${advice(wire, kind)}`, {
    status,
    retryAfterMs: retryAfter(headers, body, now),
  })
}

/** One wire answers 400 where the key is wrong; another names its throttling in a header, whatever the status. */
function meantStatus({ status, headers }: Pick<Response, 'status' | 'headers'>, body: string): number {
  if (status === 400 && body.includes('API_KEY_INVALID')) return 401
  const exception = headers.get('x-amzn-errortype')?.split(':')[0]
  return (exception === undefined ? undefined : statusNamed(exception)) ?? status
}

/** The `ModelError` of an answer that succeeded but is no event stream: an error in JSON, or a page from a proxy. */
export function notAStream(wire: WireName, response: Response, body: string, mediaType: string): ModelError {
  const parsed = parseJson(body)
  if (isRecord(parsed) && parsed['error'] !== undefined) return inBandFailure(wire, parsed)
  const type = response.headers.get('content-type')
  return new ModelError(
    'api',
    `${wire.provider} answered HTTP ${response.status} with ${type}, expected an event stream (${mediaType}). ` +
      `Check the base URL ${response.url}. It said: ${textIn(body)}`,
    { status: response.status },
  )
}

/** The `ModelError` of an error event inside a started stream, classified like its HTTP counterpart. */
function inBandFailure(wire: WireName, body: unknown): ModelError {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const kind = classifyFailure({ status: statusIn(body), text, inStream: true })
  const message = `${wire.provider} sent an error in the stream: ${textIn(text)}${advice(wire, kind)}`
  return new ModelError(kind, message, { retryAfterMs: retryDelayIn(body) })
}

/** The `ModelError` of anything thrown while a stream was opened or read. */
export function lineFailure(wire: WireName, error: unknown): ModelError {
  if (error instanceof ModelError) return error
  const body = inBandBody(error)
  if (body !== undefined) return inBandFailure(wire, body)
  if (error instanceof SyntaxError) return unreadableChunk(wire, error)
  if (isBadAddress(error)) {
    return new ModelError('api', `${wire.provider} has a base URL that is none. Check the option baseURL.`, {
      cause: error,
    })
  }
  const message = `${wire.provider} could not be reached, or the connection broke: ${causesOf(error)}`
  return new ModelError('network', message, { cause: error })
}

/** The `ModelError` of a chunk that is not JSON, or not of the wire's shape: damage on the way, so worth a retry. */
export function unreadableChunk(wire: WireName, error: unknown): ModelError {
  const message = `${wire.provider} sent a chunk that cannot be read: ${causesOf(error)}`
  return new ModelError('network', message, { cause: error })
}

/** What an answer throws for an event that says the call failed; `body` is what the event holds of it. */
export function streamedFailure(body: unknown): Error {
  return Object.assign(new Error('The stream told of a failure.'), { error: body })
}

/** The SDKs throw an error event as an error: with its body in `error`, after its message, or by the exception's name. */
function inBandBody(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined
  if ('error' in error) return error.error ?? undefined
  if (error.name === 'ApiError') return parseJson(error.message.slice(error.message.indexOf('{'))) ?? error.message
  return statusNamed(error.name) === undefined && !error.name.endsWith('Exception')
    ? undefined
    : { type: error.name, message: error.message }
}

function isBadAddress(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && error.code === 'ERR_INVALID_URL') || isBadAddress(error.cause)
}

function advice(wire: WireName, kind: ModelErrorKind): string {
  return kind === 'auth' ? ` Check ${wire.keySource}.` : ''
}

function causesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message} ${causesOf(error.cause)}`
}
