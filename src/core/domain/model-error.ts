import type { RunErrorCode } from './end-codes.ts'

/** The kind of a failed model call, which decides its handling: the first two are retried. */
export type ModelErrorKind = 'rate_limit' | 'network' | 'auth' | 'overflow' | 'api' | 'cancelled'

const kinds: readonly ModelErrorKind[] = ['rate_limit', 'network', 'auth', 'overflow', 'api', 'cancelled']

/** A failure of a model's wire, classified where it occurs. An unknown kind becomes `api`, and the message names it. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly kind: ModelErrorKind
  /** The HTTP status, if there was one. */
  readonly status: number | undefined
  /** True if the server does not take what the request contains. Default: by the status, such as 400. */
  readonly isRefusal: boolean
  /** Milliseconds that the server asks to wait, at most an hour. */
  readonly retryAfterMs: number | undefined

  constructor(
    kind: ModelErrorKind,
    message: string,
    options: {
      status?: number | undefined
      isRefusal?: boolean | undefined
      retryAfterMs?: number | undefined
      cause?: unknown
    } = {},
  ) {
    const known = kinds.find((one) => one === kind)
    const said = known === undefined ? `${message} ${unknownKind(kind)}` : message
    super(said, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = known ?? 'api'
    this.status = typeof options.status === 'number' ? options.status : undefined
    this.isRefusal = options.isRefusal ?? isRefusalStatus(this.status)
    this.retryAfterMs = heededWait(options.retryAfterMs)
  }
}

/** Returns a note about an unknown kind, because not all adapters are written in TypeScript. */
function unknownKind(kind: unknown): string {
  const given = typeof kind === 'string' ? JSON.stringify(kind.slice(0, 100)) : `a value of type ${typeof kind}`
  return `(The kind of this ModelError is ${given}, which is unknown; it counts as "api". Known: ${kinds.join(', ')}.)`
}

/** The maximum wait in milliseconds, even if a server asks for more. */
const mostRetryAfterMs = 3_600_000

function heededWait(ms: unknown): number | undefined {
  return typeof ms !== 'number' || Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), mostRetryAfterMs)
}

const errorCodes: ReadonlyMap<string, RunErrorCode> = new Map<ModelErrorKind, RunErrorCode>([
  ['rate_limit', 'rate_limit'],
  ['network', 'network_error'],
  ['auth', 'auth_error'],
  ['overflow', 'context_overflow'],
  ['api', 'api_error'],
  ['cancelled', 'cancelled'],
])

/** Returns the run's error code for a failure. A subclass of an adapter may have an unknown kind. */
export function errorCodeOf({ kind }: ModelError): RunErrorCode {
  return errorCodes.get(kind) ?? 'api_error'
}

const overflowPhrases = [
  'prompt is too long',
  'input is too long',
  'exceeds the context window',
  'exceeds the maximum',
  'maximum prompt length',
  'reduce the length of the messages',
  'maximum context length',
  'exceeds the limit of',
  'exceeds the available context size',
  'greater than the context length',
  'context window exceeds limit',
  'exceeded model token limit',
  'context length exceeded',
  'context_length_exceeded',
  'too many tokens',
  'token limit exceeded',
]

/** A provider's facts about a failure. `inStream` marks an error event inside a started stream. */
export interface FailureFacts {
  readonly status?: number | undefined
  readonly text: string
  readonly inStream?: boolean
  /** The provider's own throttling exception or `overloaded` marker, if it has one. */
  readonly marker?: 'throttled' | 'overloaded' | undefined
}

/** Classifies a failure: throttling, overflow, auth, network, else API. No status and no marker means the network. */
export function classifyFailure({ status, text, inStream = false, marker }: FailureFacts): ModelErrorKind {
  if (status === 429 || marker === 'throttled') return 'rate_limit'
  const mayOverflow = status === 400 || status === 413 || inStream
  const lower = text.toLowerCase()
  if (mayOverflow && overflowPhrases.some((phrase) => lower.includes(phrase))) return 'overflow'
  if ((status === 400 || status === 413) && text.trim() === '') return 'overflow'
  if (status === 401 || status === 403) return 'auth'
  if (marker === 'overloaded' || status === 408 || (status !== undefined && status >= 500)) return 'network'
  return status === undefined && !inStream ? 'network' : 'api'
}

/** Phrases that vendors use for a wrong key, an unknown name or an empty account if their status is not specific. */
const mendablePhrases = [
  'api key',
  'api_key',
  'insufficient_quota',
  'exceeded your current quota',
  'credit balance',
  'insufficient balance',
  'model_not_found',
  'model not found',
  'model not exist',
  'model does not exist',
  'no such model',
  'unknown model',
  'invalid model',
  'invalid_model',
  'not a valid model',
  'model identifier is invalid',
  'model is not supported',
  'unsupported model',
]

/** The number of examined characters of a message; vendors name the problem at its start. */
const readLength = 4000

/** Returns true if another key or model could answer the request: refused credentials, or an unknown name. */
export function isOfKeyOrModel({ kind, status, message }: ModelError): boolean {
  if (kind === 'auth') return true
  if (kind !== 'api') return false
  // Servers use these statuses for the account or the address, which contains the model's name.
  if (status === 402 || status === 404 || status === 429) return true
  const lower = message.slice(0, readLength).toLowerCase()
  return mendablePhrases.some((phrase) => lower.includes(phrase))
}

/** Returns true if the server rejected the content of the request, rather than its length, key or model. */
export function isRefusedRequest(failure: ModelError): boolean {
  return failure.kind === 'api' && failure.isRefusal && !isOfKeyOrModel(failure)
}

/** Returns true for an HTTP status by which a server rejects a request from any caller. */
export function isRefusalStatus(status: number | undefined): boolean {
  return status === 400 || status === 413 || status === 415 || status === 422
}
