import type { FirstCommit, QueuedStart } from '../../core/ports/store.ts'

/** Returns the start of a run with a changed first commit, also if the commit is built later from inbox ids. */
export function changedStart(
  first: FirstCommit | QueuedStart | undefined,
  change: (commit: FirstCommit) => FirstCommit,
): FirstCommit | QueuedStart | undefined {
  if (first === undefined || !('posted' in first)) return first && change(first)
  return { ...first, commit: (ids) => change(first.commit(ids)) }
}
