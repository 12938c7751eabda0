import { familyIn } from '../domain/family-link.ts'
import { type FoundLease, ifReadable, isRefusal, StoreError } from '../domain/store-error.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { DeletedRuns } from '../ports/commit.ts'
import type { Store } from '../ports/store.ts'
import { runsOf } from './runs-below.ts'

/** Options of the deletion of a run. */
export interface DeleteRunOptions {
  /** True to delete sub-agents' runs that are not done, too. Default false: they refuse the deletion with `run_waiting`. */
  readonly cancel?: boolean
}

/**
 * Deletes a run with the runs that work for it: its sub-agents, branches and background work, at every level. Rejects with
 * `run_is_driven` while a process drives one of them, with `run_waiting` where one of them is open, unless `cancel` is true,
 * and with `bad_run_id` for a run that works for another one. `found` frees expired leases, as it does in `Store.delete`.
 */
export async function deleteRun(
  store: Store,
  runId: string,
  options: DeleteRunOptions & { readonly before?: number } = {},
  found: readonly FoundLease[] = [],
): Promise<DeletedRuns> {
  const { root } = familyIn(await ifReadable(store.input(runId))) ?? {}
  if (root !== undefined && (await ifReadable(store.input(root))) !== undefined)
    throw new UsageError('bad_run_id', `Run "${runId}" works for run "${root}". Delete that one, with its family.`)
  return deleteWithFamilies(store, [runId], options, () => store.delete(runId, found))
}

/** Deletes runs, and then the runs that work for them. Nothing is deleted where one of these is driven or open. */
export async function deleteWithFamilies(
  store: Store,
  roots: readonly string[],
  { cancel = false, before = Infinity }: DeleteRunOptions & { readonly before?: number },
  deleteRoots: () => Promise<DeletedRuns>,
): Promise<DeletedRuns> {
  const below: string[] = []
  for (const root of roots) below.push(...(await runsOf(store, root)).slice(1))
  for (const runId of below) {
    const record = await ifReadable(store.record(runId))
    const found = `Nothing was deleted, because run "${runId}" of the family is`
    if (record?.isDriven === true)
      throw new StoreError('run_is_driven', `${found} driven by a process. Wait until it rests, or cancel its root.`)
    if (record !== undefined && !cancel && (record.status !== 'done' || record.updatedAt >= before))
      throw new UsageError('run_waiting', `${found} open. Answer or cancel it, or delete with cancel: true.`)
  }
  const { runs, readers } = await deleteRoots()
  const left = new Set(readers)
  for (const runId of below) {
    // A run that somebody has begun to drive meanwhile ends by itself.
    const member = await store.delete(runId).catch((error: unknown) => {
      if (!isRefusal(error, 'run_unknown', 'run_is_driven')) throw error
    })
    for (const reader of member?.readers ?? []) left.add(reader)
  }
  const gone = new Set([...runs, ...below])
  return { runs: [...gone], readers: [...left].filter((reader) => !gone.has(reader)) }
}
