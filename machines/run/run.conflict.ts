import type { CallEntry, RunContext } from './run.types.ts'

/** A path of the state that two calls ask to change. */
export interface Conflict {
  readonly path: string
  readonly calls: readonly [string, string]
}

/** Two calls that share one view of the state and ask to change one path of it; replays never conflict. */
export function findConflict(context: RunContext): Conflict | undefined {
  const owned: { path: string; callId: string }[] = []
  for (const { callId, paths, isReplay } of entriesThatShareState(context)) {
    if (isReplay) continue
    for (const path of paths) {
      const other = owned.find((owner) => owner.callId !== callId && overlaps(path, owner.path))
      if (other !== undefined) return { path, calls: [other.callId, callId] }
      owned.push({ path, callId })
    }
  }
  return undefined
}

/** Parallel calls see the state of the round's start, others that of their batch's start. */
export function entriesThatShareState({ options, round, calls }: RunContext): readonly CallEntry[] {
  const callIds = options.executor.batchSize === null ? round.batches.flat() : (round.batches[round.batch] ?? [])
  return callIds.flatMap((callId) => calls[callId] ?? [])
}

/** The empty path is the whole document. */
function overlaps(left: string, right: string): boolean {
  if (left === '' || right === '') return true
  return left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`)
}
