import { UsageError } from '../domain/text/usage-error.ts'

/** What whoever waits for a run is told when its drive was stopped. */
export function detached(runId: string): UsageError {
  return new UsageError('run_detached', `Driving run "${runId}" was stopped by detach(). It can be driven on.`)
}
