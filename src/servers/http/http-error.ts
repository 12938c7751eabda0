import { ErrorWithCode } from '../../core/domain/text/error-with-code.ts'
import { SnapshotError } from '../../core/domain/snapshot-error.ts'
import { StoreError } from '../../core/domain/store-error.ts'
import { ToolsetError } from '../../core/domain/toolset-error.ts'
import { UsageError } from '../../core/domain/text/usage-error.ts'

/** An error response: an HTTP status, a code for programs, and a sentence. */
export class HttpError extends ErrorWithCode {
  override readonly name = 'HttpError'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(code, message)
    this.status = status
    this.headers = headers
  }
}

/** The statuses of codes other than 400, as for a `UsageError`, and 500. */
const statuses: Readonly<Record<string, number>> = {
  run_unknown: 404,
  other_agent: 404,
  other_subject: 404,
  other_labels: 404,
  run_exists: 409,
  other_prompt: 409,
  run_is_driven: 409,
  run_busy: 409,
  run_waiting: 409,
  ambiguous_call: 409,
  run_detached: 503,
  agent_closed: 503,
  store_busy: 503,
  store_unavailable: 503,
}

/**
 * Returns the response for an exception. It reveals nothing about an error that the client did not cause, but calls
 * `tell` for such an error.
 */
export function errorResponse(error: unknown, tell: () => void): Response {
  const { status, code, message, headers = {} } = toldError(error)
  if (status >= 500) tell()
  return json({ code, message }, { status, headers })
}

/** Returns a JSON response that no cache stores. */
export function json(body: unknown, init: ResponseInit = {}): Response {
  const headers = new Headers(init.headers)
  headers.set('content-type', 'application/json; charset=utf-8')
  headers.set('cache-control', 'no-store')
  return new Response(JSON.stringify(body), { ...init, headers })
}

interface Told {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns the status, code and message for a client. The message of a server error is not included. */
export function toldError(error: unknown): Told {
  if (error instanceof HttpError) return error
  if (error instanceof UsageError) return { ...coded(error), status: statuses[error.code] ?? 400 }
  if (error instanceof StoreError || error instanceof SnapshotError || error instanceof ToolsetError) {
    const status = statuses[error.code] ?? 500
    // The text may name files of the server.
    return status < 500 ? { ...coded(error), status } : { ...coded(error), status, message: unsaid }
  }
  return { status: 500, code: 'internal', message: unsaid }
}

const unsaid = 'The server could not answer. Stored data is not lost. Try again later.'

function coded({ code, message }: { readonly code: string; readonly message: string }): Pick<Told, 'code' | 'message'> {
  return { code, message }
}
