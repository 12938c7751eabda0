import type { Agent, Run } from '../../../index.ts'
import type { RunError, RunReason } from '../../../ports.ts'
import { allRuns } from './find-run.ts'
import type { Session } from '../setup/session.ts'

/** Error codes that another attempt may avoid: temporary failures of a model's server or of the network. */
const retryableCodes = ['network_error', 'rate_limit']

/** Returns true for a run that ended because its model was unavailable, so that it can continue. */
export function endedRetryably(reason: RunReason | undefined, error: RunError | undefined): boolean {
  return reason === 'error' && error !== undefined && retryableCodes.includes(error.code)
}

/** A run that continues an ended run. */
export interface ContinuedRun {
  readonly run: Run
  /** The version of the checkpoint that it continues from. */
  readonly from: number
  /** False if an earlier `resume` created it. */
  readonly isNew: boolean
}

/**
 * Continues a run under a new id from its last checkpoint before the end. If an earlier `resume` already created that
 * run, loads it, so that a repeated command does not create a second one. Returns undefined if the run has no such
 * checkpoint.
 */
export async function continueRun({ store }: Session, agent: Agent, runId: string): Promise<ContinuedRun | undefined> {
  const original = await agent.load(runId)
  for (const { version } of (await original.history()).toReversed()) {
    const { value } = await original.at(version)
    if (value === 'done') continue
    const made = (await allRuns(store)).find(
      (run) => !('damaged' in run) && run.forkedFrom?.runId === runId && run.forkedFrom.version === version,
    )
    if (made !== undefined) return { run: await agent.load(made.id), from: version, isNew: false }
    return { run: await agent.fork(runId, { from: version }), from: version, isNew: true }
  }
  return undefined
}
