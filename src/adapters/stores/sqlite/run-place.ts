import { type RunPlace, type Span, spansIn } from '../../../core/stores/rows/run-place.ts'
import { logSpan } from './schema.ts'
import type { Session } from './session.ts'

/** The ids of the log rows the run wrote, up to an entry. */
export function ownIds({ transcript, first, last }: RunPlace, to = last): IdRange {
  const base = transcript * logSpan
  return [base + first, base + to]
}

/** The first and the last of some ids. */
export type IdRange = readonly [first: number, last: number]

/** Each transcript is behind an earlier place of the one before it, so that a damaged chain has an end as well. */
const selectChain = `
  WITH RECURSIVE chain (number, to_seq) AS (
    VALUES (?, ${logSpan})
    UNION ALL
    SELECT parent, at_seq FROM chain JOIN transcripts USING (number) WHERE at_seq < to_seq
  )
  SELECT chain.number, to_seq, at_seq FROM chain LEFT JOIN transcripts USING (number)`

/** The spans of the log a run reads, oldest first, up to `to`. A span may be empty. */
export function spansOf({ sql }: Session, runId: string, place: RunPlace, to = place.last): readonly Span[] {
  if (place.first === 1) return [{ transcript: place.transcript, from: 1, to }]
  return spansIn(runId, place, sql(selectChain).all(place.transcript), to)
}

/** The ids of the log rows of a part of a transcript. */
export function idsOf({ transcript, from, to }: Span): IdRange {
  return [transcript * logSpan + from, transcript * logSpan + to]
}
