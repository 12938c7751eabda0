import { ifStored, StoreError } from '../../core/domain/store-error.ts'
import type { Run } from '../../index.ts'
import type { RunsFilter } from './access.ts'
import type { Asked } from './asked.ts'

/** Returns the requested run. A run that the client may not see is treated as unknown. */
export async function findRun({ agent, runId, access }: Pick<Asked, 'agent' | 'runId' | 'access'>): Promise<Run> {
  const run = await agent.load(runId)
  if (await isSeen(run, access.filter)) return run
  throw new StoreError('run_unknown', `The store has no run "${runId}". Check the id, or list the runs.`)
}

/** Returns the run with this id if the requester may see it, or undefined. */
export async function lookForRun(
  asked: Pick<Asked, 'agent' | 'runId' | 'access'>,
): Promise<'absent' | 'seen' | 'hidden'> {
  const isShown = await ifStored(asked.agent.load(asked.runId).then((run) => isSeen(run, asked.access.filter)))
  return isShown === undefined ? 'absent' : isShown ? 'seen' : 'hidden'
}

/** Returns true if a run matches a filter; without a filter every run matches. */
export async function isSeen(run: Run, filter: RunsFilter | undefined): Promise<boolean> {
  if (filter === undefined) return true
  const { subject, labels = {} } = filter
  const { run: details } = await run.result()
  if (subject !== undefined && details.subject !== subject) return false
  return Object.entries(labels).every(
    ([name, text]) => Object.hasOwn(details.labels, name) && details.labels[name] === text,
  )
}
