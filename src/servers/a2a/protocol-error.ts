import { A2AError, RequestMalformedError, TaskNotFoundError, UnsupportedOperationError } from '@a2a-js/sdk/errors'
import { toldError } from '../http/http-error.ts'

/** The statuses that HTTP answers itself: who may ask, and what the client cannot help. */
const ofHttp: readonly number[] = [401, 403, 413, 415]

const unsupported: readonly string[] = ['run_busy', 'run_waiting', 'run_done']

/** Returns the protocol's error for what a client did wrong; undefined for an error that HTTP answers. */
export function protocolError(error: unknown): A2AError | undefined {
  if (error instanceof A2AError) return error
  const { status, code, message } = toldError(error)
  if (status >= 500 || ofHttp.includes(status)) return undefined
  const isTask = status === 404 && code !== 'session_unknown'
  if (isTask || code === 'bad_run_id') return new TaskNotFoundError(message)
  return unsupported.includes(code) ? new UnsupportedOperationError(message) : new RequestMalformedError(message)
}
