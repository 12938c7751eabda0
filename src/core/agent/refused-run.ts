import { UsageError } from '../domain/text/usage-error.ts'

/** Returns the error for callers that wait for a run whose drive was stopped by `detach()`. */
export function detached(runId: string): UsageError {
  return new UsageError('run_detached', `Driving run "${runId}" was stopped by detach(). It can be continued.`)
}
