import type { RunRecord } from '../../domain/run-record.ts'
import type { RunFilter } from '../../ports/store.ts'
import { decodeRecord } from '../rows/decode-rows.ts'
import { type MemoryRun, tailOf } from './commit.ts'

/** The records of the runs a filter lets through, the newest first. */
export function listRuns(
  runs: Iterable<MemoryRun>,
  { status, agent, updatedBefore, limit = 100 }: RunFilter,
): readonly RunRecord[] {
  const isAsked = ({ row }: MemoryRun) =>
    (status === undefined || row.status === status) && (agent === undefined || row.agent === agent)
  const isOld = (run: MemoryRun) =>
    updatedBefore === undefined ||
    (run.row.updatedAt < updatedBefore && decodeRecord(run.row, tailOf(run)).updatedAt < updatedBefore)
  return [...runs]
    .filter((run) => isAsked(run) && isOld(run))
    .toReversed()
    .sort((left, right) => right.row.createdAt - left.row.createdAt)
    .slice(0, limit)
    .map((run) => decodeRecord(run.row, tailOf(run)))
}
