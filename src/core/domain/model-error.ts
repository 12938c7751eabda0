import type { RunErrorCode } from './end-codes.ts'

/** How a failed model call is treated: the first two are retried. */
export type ModelErrorKind = 'rate_limit' | 'network' | 'auth' | 'overflow' | 'api' | 'cancelled'

const kinds: readonly ModelErrorKind[] = ['rate_limit', 'network', 'auth', 'overflow', 'api', 'cancelled']

/**
 * A failure of a model's wire, classified once, where it is seen. An unknown kind becomes `api`, and the message names
 * it.
 */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly kind: ModelErrorKind
  /** HTTP status, where there was one. */
  readonly status: number | undefined
  /** Milliseconds the server asks to wait, at most an hour. */
  readonly retryAfterMs: number | undefined

  constructor(
    kind: ModelErrorKind,
    message: string,
    options: { status?: number | undefined; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    const known = kinds.find((one) => one === kind)
    const said = known === undefined ? `${message} ${unknownKind(kind)}` : message
    super(said, options.cause === undefined ? undefined : { cause: options.cause })
    this.kind = known ?? 'api'
    this.status = typeof options.status === 'number' ? options.status : undefined
    this.retryAfterMs = heededWait(options.retryAfterMs)
  }
}

/** Adapters are not all written in TypeScript. */
function unknownKind(kind: unknown): string {
  const given = typeof kind === 'string' ? JSON.stringify(kind.slice(0, 100)) : `a value of type ${typeof kind}`
  return `(The kind of this ModelError is ${given}, which is none; it is taken for "api". Known: ${kinds.join(', ')}.)`
}

/** A server that asks to be left alone for a year is asked again all the same. */
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

/** Returns the code that a run has for a failure. A class of an adapter's own that extends the error may hold another kind. */
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

/** What a provider knows of a failure. `inStream` marks an error event inside a started stream. */
export interface FailureFacts {
  readonly status?: number | undefined
  readonly text: string
  readonly inStream?: boolean
  /** The provider's own throttling exception or `overloaded` marker, where it has one. */
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

/** What vendors say of a wrong key, a name nobody has or an empty account where their status does not tell. */
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

/** Characters of a message that are looked through; a vendor says what is wrong at its start. */
const readLength = 4000

/** True where the same request would be answered with another key, or by another model: refused credentials, a name nobody has. */
export function isOfKeyOrModel({ kind, status, message }: ModelError): boolean {
  if (kind === 'auth') return true
  if (kind !== 'api') return false
  // With these statuses a server means the account or the address, which the model's name is a part of.
  if (status === 402 || status === 404 || status === 429) return true
  const lower = message.slice(0, readLength).toLowerCase()
  return mendablePhrases.some((phrase) => lower.includes(phrase))
}
