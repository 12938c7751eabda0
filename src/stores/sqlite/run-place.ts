import { maxSeq } from '../rows/encode-commit.ts'
import { runDamaged } from '../rows/store-errors.ts'
import { number, optionalNumber, type SqlRow } from './rows.ts'
import { logSpan } from './schema.ts'
import type { Session } from './session.ts'

/** Where the log rows of a run stand. */
export interface RunPlace {
  readonly number: number
  /** Of the transcript the run writes to. */
  readonly transcript: number
  /** The `seq` of its first entry; there may be none yet. */
  readonly first: number
  /** No entry of it stands behind this one. */
  readonly last: number
  /** The first entry whose call is one of the run's. */
  readonly callsFrom: number
}

/** The columns of a row of `runs` that say where its log rows stand. */
export const placeColumns = 'number, transcript, first_seq, last_seq, calls_from'

/** Where the log rows of a run stand, by its row. */
export function placeOf(runId: string, row: SqlRow): RunPlace {
  const own = number(runId, row, 'number')
  return {
    number: own,
    transcript: optionalNumber(runId, row, 'transcript') ?? own,
    first: number(runId, row, 'first_seq'),
    last: optionalNumber(runId, row, 'last_seq') ?? maxSeq,
    callsFrom: number(runId, row, 'calls_from'),
  }
}

/** The ids of the log rows the run wrote, up to an entry. */
export function ownIds({ transcript, first, last }: RunPlace, to = last): IdRange {
  const base = transcript * logSpan
  return [base + first, base + to]
}

/** The first and the last of some ids. */
export type IdRange = readonly [first: number, last: number]

/** A part of a transcript that a run reads. */
export interface Span {
  readonly transcript: number
  /** The entries from this one on, */
  readonly from: number
  /** up to this one. */
  readonly to: number
}

/** Each transcript is behind an earlier place of the one before it, so that a damaged chain has an end as well. */
const selectChain = `
  WITH RECURSIVE chain (number, to_seq) AS (
    VALUES (?, ${logSpan})
    UNION ALL
    SELECT parent, at_seq FROM chain JOIN transcripts USING (number) WHERE at_seq < to_seq
  )
  SELECT chain.number, to_seq, at_seq FROM chain LEFT JOIN transcripts USING (number)`

/** What a run reads up to an entry of its own, the oldest part first; parts that have no rows may be among them. */
export function spansOf({ sql }: Session, runId: string, place: RunPlace, to = place.last): readonly Span[] {
  if (place.first === 1) return [{ transcript: place.transcript, from: 1, to }]
  const spans = sql(selectChain)
    .all(place.transcript)
    .map((row): Span => ({
      transcript: number(runId, row, 'number'),
      from: (optionalNumber(runId, row, 'at_seq') ?? 0) + 1,
      to: Math.min(number(runId, row, 'to_seq'), to),
    }))
  const isBegun = place.transcript !== place.number || spans[0]?.from === place.first
  if (!isBegun || spans.at(-1)?.from !== 1) throw runDamaged(runId, 'the row of its transcript', 'does not fit')
  return spans.toReversed()
}

/** The ids of the log rows of a part of a transcript. */
export function idsOf({ transcript, from, to }: Span): IdRange {
  return [transcript * logSpan + from, transcript * logSpan + to]
}
