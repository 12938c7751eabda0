import { UsageError } from '../domain/text/usage-error.ts'

/** The refusal of what is said to a run that has ended. */
export function runDone(runId: string): UsageError {
  const wish = 'Go on from it in a new run with prompt(), or begin one without its transcript with start().'
  return new UsageError('run_done', `Run "${runId}" has ended. ${wish}`)
}

/** What whoever waits for a run is told when its drive was stopped. */
export function detached(runId: string): UsageError {
  return new UsageError('run_detached', `Driving run "${runId}" was stopped by detach(). It can be driven on.`)
}
