import { type EncodedCommit, isResting } from '../../../core/stores/rows/encode-commit.ts'
import { textOf } from '../../../core/stores/rows/json-text.ts'
import type { LogRow } from '../../../core/stores/rows/stored-rows.ts'
import type { Sql, SqlValue } from './session.ts'
import { changeTime, nothingUnanswered, slotsOf } from './write-commit.ts'

/** Returns true for a commit of a running run that writes only its row and its log. */
export function isStep(commit: EncodedCommit): boolean {
  const { consumed, emptied, files, timers, input, prompt, records, release } = commit
  const others = [timers, input, prompt].some((part) => part !== undefined)
  return (
    !others && !release && !isResting(commit) && [consumed, emptied, files, records].every(({ length }) => length === 0)
  )
}

/** Returns the approximate number of characters that such a commit writes. */
export function lengthOf({ document, rows, calls }: EncodedCommit): number {
  return [...rows, ...calls].reduce(
    (sum, row) => sum + textOf(row.body).length + (row.document?.length ?? 0),
    document?.length ?? 0,
  )
}

/**
 * Writes steps of different runs in one statement; returns the ids of the runs that were written. Skips a step whose
 * conditions do not hold or whose run is locked. The statement waits for no lock.
 */
export async function writeSteps(sql: Sql, commits: readonly EncodedCommit[]): Promise<ReadonlySet<string>> {
  const slots = commits.map(slotsOf)
  const rows = rowColumns(slots.map((one) => one.rows))
  const calls = rowColumns(slots.map((one) => one.calls))
  const written = await sql(
    statement,
    commits.map(({ runId }) => runId),
    commits.map(({ owner }) => owner),
    commits.map(({ fence }) => fence),
    commits.map(({ version }) => version),
    commits.map(({ document }) => document),
    commits.map(changeTime),
    slots.map((one) => one.rows[0]?.seq ?? null),
    slots.map((one) => one.rows.length),
    slots.map((one) => one.calls.length),
    commits.map(({ settled }) => settled.length),
    ...rows,
    ...calls,
  )
  return new Set(written.map(({ id }) => String(id)))
}

function rowColumns(rowsOf: readonly (readonly LogRow[])[]): readonly (readonly SqlValue[] & SqlValue)[] {
  const rows = rowsOf.flatMap((some, place) => some.map((row) => ({ row, commit: place + 1 })))
  return [
    rows.map(({ commit }) => commit),
    rows.map(({ row }) => row.seq),
    rows.map(({ row }) => row.version),
    rows.map(({ row }) => row.kind),
    rows.map(({ row }) => textOf(row.body)),
    rows.map(({ row }) => row.document),
    rows.map(({ row }) => row.at),
    rows.map(({ row }) => row.turn),
    rows.map(({ row }) => row.place),
  ]
}

/** The planner cannot see the length of a list in a sub-select, so one plan fits all lengths. */
const list = (place: number, type: string) => `(SELECT $${place}::${type}[])`
const lists = (from: number, ...types: readonly string[]) =>
  types.map((type, index) => list(from + index, type)).join(', ')
const rowsFrom = (from: number) =>
  `unnest(${lists(from, 'int', 'int', 'int', 'text', 'text', 'text', 'float8', 'int', 'int')})
    AS row (commit, seq, version, kind, body, document, at, turn, place)`

const statement = `
  WITH given AS MATERIALIZED (
    SELECT row.*, (SELECT number FROM @.runs WHERE runs.id = row.run FOR NO KEY UPDATE SKIP LOCKED) AS number
    FROM unnest(${lists(1, 'text', 'text', 'bigint', 'int', 'text', 'float8', 'int', 'int', 'int', 'int')}) WITH ORDINALITY
      AS row (run, owner, fence, version, document, at, first, added, changed, settled, place)),
  slot AS MATERIALIZED (SELECT * FROM ${rowsFrom(20)}),
  run AS (
    UPDATE @.runs SET version = given.version, status = 'running', document = given.document, updated_at = given.at,
      written_seq = written_seq + given.added, reason = NULL, code = NULL, error = NULL
    FROM given
    WHERE runs.number = given.number AND runs.owner = given.owner AND runs.fence = given.fence
      AND runs.version = given.version - 1 AND (given.added = 0 OR written_seq = given.first - 1)
      AND (given.settled = 0 OR ${nothingUnanswered})
      AND (given.changed = 0 OR given.changed = (
        SELECT count(*) FROM slot WHERE slot.commit = given.place AND slot.seq >= first_seq AND 'call' = (
          SELECT kind FROM @.log
          WHERE log.transcript = coalesce(runs.transcript, runs.number) AND log.seq = slot.seq)))
    RETURNING runs.id, given.place, coalesce(transcript, runs.number) AS transcript),
  appended AS (
    INSERT INTO @.log (transcript, seq, version, kind, body, document, at, turn, place)
    SELECT run.transcript, row.seq, row.version, row.kind, row.body, row.document, row.at, row.turn, row.place
    FROM run JOIN ${rowsFrom(11)} ON row.commit = run.place),
  changed AS (
    UPDATE @.log SET version = slot.version, body = slot.body, document = slot.document, place = slot.place
    FROM run JOIN slot ON slot.commit = run.place WHERE log.transcript = run.transcript AND log.seq = slot.seq)
  SELECT id FROM run`
