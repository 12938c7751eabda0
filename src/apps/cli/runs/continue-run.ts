import type { Agent, Run } from '../../../index.ts'
import type { RunError, RunReason } from '../../../ports.ts'
import { allRuns } from './find-run.ts'
import type { Session } from '../setup/session.ts'

/** Codes of endings another try may not meet: what a model's server or the network could not do just then. */
const retryableCodes = ['network_error', 'rate_limit']

/** True for a run that ended because its model could not be reached: it can go on from its last checkpoint. */
export function endedRetryably(reason: RunReason | undefined, error: RunError | undefined): boolean {
  return reason === 'error' && error !== undefined && retryableCodes.includes(error.code)
}

/** A run that goes on where another has ended. */
export interface ContinuedRun {
  readonly run: Run
  /** Version of the checkpoint it goes on from. */
  readonly from: number
  /** False where it was made by an earlier `resume`. */
  readonly isNew: boolean
}

/**
 * Goes on, under a new id, from the last checkpoint at which a run was not done yet; the run that an earlier `resume` has
 * made of it is taken up again, so that asking twice makes no two. Undefined where the run has no such checkpoint.
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
