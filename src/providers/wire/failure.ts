import { classifyFailure, ModelError, type ModelErrorKind } from '../../domain/model-error.ts'

/** What error messages say of the server that is called. */
export interface WireName {
  /** Provider id, e.g. `anthropic`. */
  readonly provider: string
  /** Where the key comes from, e.g. `ANTHROPIC_API_KEY or the option apiKey`. */
  readonly keySource: string
}

/** The `ModelError` of an answer with an HTTP error status; `now` is in unix milliseconds. */
export function httpFailure(wire: WireName, response: Response, body: string, now: number): ModelError {
  const { status, headers } = response
  const kind = classifyFailure({ status, text: body })
  const text = textIn(body) || 'an empty body'
  return new ModelError(kind, `${wire.provider} answered HTTP ${status}: ${text}${advice(wire, kind)}`, {
    status,
    retryAfterMs: retryAfter(headers, now),
  })
}

/** The `ModelError` of an answer that succeeded but is no event stream: an error in JSON, or a page from a proxy. */
export function notAStream(wire: WireName, response: Response, body: string): ModelError {
  const parsed = parse(body)
  if (isRecord(parsed) && parsed['error'] !== undefined) return inBandFailure(wire, parsed)
  const type = response.headers.get('content-type')
  return new ModelError(
    'api',
    `${wire.provider} answered HTTP ${response.status} with ${type}, expected an event stream (text/event-stream). ` +
      `Check the base URL ${response.url}. It said: ${textIn(body)}`,
    { status: response.status },
  )
}

/** The `ModelError` of an error event inside a started stream, classified like its HTTP counterpart. */
function inBandFailure(wire: WireName, body: unknown): ModelError {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const kind = classifyFailure({ status: statusIn(body), text, inStream: true })
  return new ModelError(kind, `${wire.provider} sent an error in the stream: ${textIn(text)}${advice(wire, kind)}`)
}

/** The `ModelError` of anything thrown while a stream was opened or read. */
export function lineFailure(wire: WireName, error: unknown): ModelError {
  if (error instanceof ModelError) return error
  const body = inBandBody(error)
  if (body !== undefined) return inBandFailure(wire, body)
  if (error instanceof SyntaxError) return unreadableChunk(wire, error)
  const message = `${wire.provider} could not be reached, or the connection broke: ${causesOf(error)}`
  return new ModelError('network', message, { cause: error })
}

/** The `ModelError` of a chunk that is not JSON, or not of the wire's shape: damage on the way, so worth a retry. */
export function unreadableChunk(wire: WireName, error: unknown): ModelError {
  const message = `${wire.provider} sent a chunk that cannot be read: ${causesOf(error)}`
  return new ModelError('network', message, { cause: error })
}

/** The SDKs throw an error event as an error without status that holds the event's body in `error`. */
function inBandBody(error: unknown): unknown {
  return error instanceof Error && 'error' in error ? (error.error ?? undefined) : undefined
}

function advice(wire: WireName, kind: ModelErrorKind): string {
  return kind === 'auth' ? ` Check ${wire.keySource}.` : ''
}

const statusOfType: ReadonlyMap<unknown, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['api_error', 500],
  ['server_error', 500],
  ['internal_error', 500],
  ['internal_server_error', 500],
  ['timeout_error', 504],
  ['overloaded', 529],
  ['overloaded_error', 529],
])

/**
 * Milliseconds a server asks to wait: `retry-after-ms`, else `retry-after` in seconds or as an HTTP date.
 * `now` is in unix milliseconds; a date in the past is 0; anything unreadable is undefined.
 */
function retryAfter(headers: Headers, now: number): number | undefined {
  const milliseconds = amountIn(headers.get('retry-after-ms'))
  if (milliseconds !== undefined) return Math.round(milliseconds)
  const value = headers.get('retry-after')
  const seconds = amountIn(value)
  if (seconds !== undefined) return Math.round(seconds * 1000)
  const date = value === null ? Number.NaN : Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function amountIn(value: string | null): number | undefined {
  return value !== null && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
}

/** The HTTP status an error event stands for, by its numeric code, its code or its type. */
function statusIn(body: unknown): number | undefined {
  if (!isRecord(body)) return undefined
  if (isRecord(body['error'])) return statusIn(body['error'])
  const code = Number(body['code'] ?? body['status'])
  if (code >= 400 && code < 600) return code
  return statusOfType.get(body['code']) ?? statusOfType.get(body['type'])
}

/** What a body says to a reader: its message, else its beginning. */
function textIn(body: string): string {
  const text = messageIn(parse(body)) ?? body
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}

function messageIn(body: unknown): string | undefined {
  if (Array.isArray(body)) return messageIn(body[0])
  if (!isRecord(body)) return undefined
  const text = messageIn(body['error']) ?? body['message'] ?? body['detail'] ?? body['error']
  return typeof text === 'string' ? text : undefined
}

function causesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message} ${causesOf(error.cause)}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
