import { familyIn } from '../domain/family-link.ts'
import { type FoundLease, ifReadable, isRefusal, StoreError } from '../domain/store-error.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { DeletedRuns } from '../ports/commit.ts'
import type { Store } from '../ports/store.ts'
import { runsBelow } from './runs-below.ts'

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
  options: DeleteRunOptions = {},
  found: readonly FoundLease[] = [],
): Promise<DeletedRuns> {
  const root = await rootAbove(store, runId)
  if (root !== undefined) {
    const wish = `Delete run "${root}", which its family goes with.`
    throw new UsageError('bad_run_id', `Run "${runId}" works for another run. ${wish}`)
  }
  return deleteWithFamilies(store, [runId], options, () => store.delete(runId, found))
}

/** Deletes runs, and then the runs that work for them. Nothing is deleted where one of these is driven or open. */
export async function deleteWithFamilies(
  store: Store,
  roots: readonly string[],
  { cancel = false }: DeleteRunOptions,
  deleteRoots: () => Promise<DeletedRuns>,
): Promise<DeletedRuns> {
  const below: string[] = []
  for (const root of roots) below.push(...(await runsBelow(store, root)))
  for (const runId of below) {
    const record = await ifReadable(store.record(runId))
    if (record?.isDriven === true) throw new StoreError('run_is_driven', drivenText(runId))
    if (record !== undefined && record.status !== 'done' && !cancel)
      throw new UsageError('run_waiting', openText(runId))
  }
  const { runs, readers } = await deleteRoots()
  const left = new Set(readers)
  for (const runId of below) for (const reader of await deleteMember(store, runId)) left.add(reader)
  const gone = new Set([...runs, ...below])
  return { runs: [...gone], readers: [...left].filter((reader) => !gone.has(reader)) }
}

/** Returns the root that a run works for, or undefined for a run whose family is its own, or whose root is gone. */
export async function rootAbove(store: Store, runId: string): Promise<string | undefined> {
  const { root } = familyIn(await ifReadable(store.input(runId))) ?? {}
  return root !== undefined && (await ifReadable(store.input(root))) !== undefined ? root : undefined
}

/** A run that somebody has begun to drive meanwhile ends by itself. */
async function deleteMember(store: Store, runId: string): Promise<readonly string[]> {
  try {
    return (await store.delete(runId)).readers
  } catch (error) {
    if (isRefusal(error, 'run_unknown', 'run_is_driven')) return []
    throw error
  }
}

function drivenText(runId: string): string {
  return `Run "${runId}" of the family is driven by a process. Nothing was deleted. Wait until it rests, or cancel its root.`
}

function openText(runId: string): string {
  return `Run "${runId}" of the family is open. Nothing was deleted. Answer or cancel it, or delete with cancel: true.`
}
