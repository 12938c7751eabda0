import type { FirstCommit, QueuedStart } from '../../core/ports/store.ts'

/** What a run is created with, its first commit changed wherever it is made. */
export function changedStart(
  first: FirstCommit | QueuedStart | undefined,
  change: (commit: FirstCommit) => FirstCommit,
): FirstCommit | QueuedStart | undefined {
  if (first === undefined || !('posted' in first)) return first && change(first)
  return { ...first, commit: (ids) => change(first.commit(ids)) }
}
