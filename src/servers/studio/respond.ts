import { SnapshotError, StoreError, UsageError } from '../../index.ts'
import { HttpError } from '../http/http-error.ts'

const safety = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Returns a response with a text of a given type. */
export function textResponse(text: string, type: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, { headers: { 'content-type': `${type}; charset=utf-8`, ...safety, ...headers } })
}

/** Returns a response with a value as JSON. */
export function json(value: unknown, status = 200): Response {
  const headers = { 'content-type': 'application/json; charset=utf-8', ...safety }
  return new Response(JSON.stringify(value), { status, headers })
}

/** Returns an error response: a code for programs, and a sentence with advice. */
export function failure(status: number, code: string, message: string): Response {
  return json({ code, message }, status)
}

const statuses: Readonly<Record<string, number>> = {
  run_unknown: 404,
  run_damaged: 409,
  store_busy: 503,
  store_unavailable: 503,
}

/** Returns an error response for the person at this machine, who owns the store. */
export function errorOf(error: unknown): Response {
  if (error instanceof HttpError) return failure(error.status, error.code, error.message)
  if (error instanceof StoreError || error instanceof UsageError || error instanceof SnapshotError) {
    const fallback = error instanceof UsageError ? 400 : 500
    return failure(statuses[error.code] ?? fallback, error.code, error.message)
  }
  const message = error instanceof Error ? error.message : String(error)
  return failure(500, 'internal', `The studio could not answer: ${message.slice(0, 1_000)}`)
}
