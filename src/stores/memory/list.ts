import type { RunRecord } from '../../domain/run-record.ts'
import { StoreError } from '../../domain/store-error.ts'
import type { DamagedRun, RunFilter } from '../../ports/store.ts'
import { decodeRecord } from '../rows/decode-rows.ts'
import { type MemoryRun, tailOf } from './commit.ts'

/** The records of the runs a filter lets through, the newest first; of one that cannot be read, what is wrong with it. */
export function listRuns(
  runs: Iterable<MemoryRun>,
  { status, agent, updatedBefore, limit = 100 }: RunFilter,
): readonly (RunRecord | DamagedRun)[] {
  const isAsked = ({ row }: MemoryRun) =>
    (status === undefined || row.status === status) && (agent === undefined || row.agent === agent)
  const isOld = (run: MemoryRun) => {
    if (updatedBefore === undefined) return true
    if (run.row.updatedAt >= updatedBefore) return false
    const listed = listedOf(run)
    return 'damaged' in listed || listed.updatedAt < updatedBefore
  }
  return [...runs]
    .filter((run) => isAsked(run) && isOld(run))
    .toReversed()
    .sort((left, right) => right.row.createdAt - left.row.createdAt)
    .slice(0, limit)
    .map(listedOf)
}

function listedOf(run: MemoryRun): RunRecord | DamagedRun {
  try {
    return decodeRecord(run.row, tailOf(run))
  } catch (error) {
    if (error instanceof StoreError && error.code === 'run_damaged') return { id: run.row.id, damaged: error.message }
    throw error
  }
}
