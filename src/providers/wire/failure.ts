import { isRecord } from '../../domain/json.ts'
import { classifyFailure, ModelError, type ModelErrorKind } from '../../domain/model-error.ts'
import { withoutPassword } from './error-mask.ts'
import { parseJson, retryAfter, retryDelayIn, statusIn, statusNamed, textIn } from './failure-facts.ts'

/** What error messages say of the server that is called. */
export interface WireName {
  /** Provider id, e.g. `anthropic`. */
  readonly provider: string
  /** Where the key comes from, e.g. `ANTHROPIC_API_KEY or the option apiKey`. */
  readonly keySource: string
  /** Masks what no error may say. Default: passwords in addresses. */
  readonly mask?: (text: string) => string
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
  const text = textIn(masked(wire, body)) || 'an empty body'
  return new ModelError(kind, `${wire.provider} answered HTTP ${status}: ${text}${advice(wire, kind)}`, {
    status,
    retryAfterMs: retryAfter(headers, body, now),
  })
}

/** The `ModelError` of an answer that points elsewhere: following it would send the prompt and the key there. */
export function redirected(wire: WireName, { status, headers }: Pick<Response, 'status' | 'headers'>, from: string) {
  const to = masked(wire, targetOf(headers.get('location') ?? '', from))
  const wish = `Nothing was sent there. If that is where you mean to call ${wire.provider}, give it as the base URL.`
  return new ModelError('api', `${wire.provider} answered HTTP ${status} and points to ${to}. ${wish}`, { status })
}

/** Without what stands after the path, which may hold more than an address. */
function targetOf(location: string, from: string): string {
  if (!URL.canParse(location, from)) return JSON.stringify(location.slice(0, 300))
  const { protocol, host, pathname } = new URL(location, from)
  return `${protocol}//${host}${pathname}`.slice(0, 300)
}

function masked({ mask = withoutPassword }: WireName, text: string): string {
  return mask(text)
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
      `Check the base URL ${masked(wire, response.url)}. It said: ${textIn(masked(wire, body))}`,
    { status: response.status },
  )
}

/** The `ModelError` of an error event inside a started stream, classified like its HTTP counterpart. */
function inBandFailure(wire: WireName, body: unknown): ModelError {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const kind = classifyFailure({ status: statusIn(body), text, inStream: true })
  const message = `${wire.provider} sent an error in the stream: ${textIn(masked(wire, text))}${advice(wire, kind)}`
  return new ModelError(kind, message, { retryAfterMs: retryDelayIn(body) })
}

/** The `ModelError` of anything thrown while a stream was opened or read. */
export function lineFailure(wire: WireName, error: unknown): ModelError {
  if (error instanceof ModelError) return error
  const body = inBandBody(error)
  if (body !== undefined) return inBandFailure(wire, body)
  if (error instanceof SyntaxError) return unreadableChunk(wire, error)
  if (isBadAddress(error)) {
    return new ModelError('api', `${wire.provider} has a base URL that is none. Check the option baseURL.`)
  }
  return broken(wire, `${wire.provider} could not be reached, or the connection broke`, error)
}

/** The `ModelError` of a chunk that is not JSON, or not of the wire's shape: damage on the way, so worth a retry. */
export function unreadableChunk(wire: WireName, error: unknown): ModelError {
  return broken(wire, `${wire.provider} sent a chunk that cannot be read`, error)
}

/** A cause that says what had to be masked is not handed on. */
function broken(wire: WireName, what: string, error: unknown): ModelError {
  const causes = causesOf(error)
  const text = masked(wire, causes)
  return new ModelError('network', `${what}: ${text}`, text === causes ? { cause: error } : {})
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
