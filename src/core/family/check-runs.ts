import type { Store } from '../ports/store.ts'
import { coreOf } from '../driving/core-of.ts'
import type { RunsReport } from '../driving/try-runs.ts'
import { membersOf } from './lineage.ts'

export type { RunProblem, RunsReport } from '../driving/try-runs.ts'

/**
 * Loads every open run of an agent and its sub-agents with the current code, and names those that could not continue: for a
 * deployment's pipeline, before the new version drives anything. Performs, claims and writes nothing. Runs of agents with
 * other names are left out. Tools of toolsets are not checked, because the toolsets would have to be opened. Throws a
 * `UsageError` for an agent that `createAgent` has not made, and a `StoreError` if the store cannot be reached.
 *
 * @example
 * const { checked, problems } = await checkRuns(store, agent)
 * if (problems.length > 0) process.exitCode = 1
 */
export async function checkRuns(store: Store, agent: { readonly name: string }): Promise<RunsReport> {
  const core = coreOf(agent, 'checkRuns')
  const { tryRuns } = await import('../driving/try-runs.ts')
  return tryRuns(store, membersOf(core))
}
