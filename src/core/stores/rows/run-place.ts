import type { NewRun } from '../../ports/commit.ts'
import { number, optionalNumber, type SqlRow } from './columns.ts'
import { maxSeq } from './encode-commit.ts'
import { entryUnknown, runDamaged, transcriptFull } from './store-errors.ts'

/** The place of a run's log rows. */
export interface RunPlace {
  readonly number: number
  /** The transcript that the run writes to. */
  readonly transcript: number
  /** The `seq` of its first entry; there may be none yet. */
  readonly first: number
  /** The last entry of it. */
  readonly last: number
  /** The first entry whose call is one of the run's. */
  readonly callsFrom: number
}

/** The columns of a row of `runs` that locate its log rows. */
export const placeColumns = 'number, transcript, first_seq, last_seq, calls_from'

/** Returns the place of a run's log rows by its row. */
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

/** The place of the log of a new run. */
export interface Beginning {
  /** The transcript that it continues; null for its own. */
  readonly transcript: number | null
  readonly first: number
  readonly callsFrom: number
  /** The entry after which its own transcript continues. */
  readonly behind?: { readonly transcript: number; readonly seq: number }
}

/** The beginning of a run that continues no other. */
export const noneBefore: Beginning = { transcript: null, first: 1, callsFrom: 1 }

/**
 * Returns the position at which the log of a continuing run begins: after entry `seq` of the other run, by default its
 * last one. Throws for a missing entry.
 */
export function beginningBehind(
  { runId, seq: wanted }: NonNullable<NewRun['continues']>,
  isFork: boolean,
  { callsFrom, last }: Pick<RunPlace, 'callsFrom' | 'last'>,
): { readonly seq: number; readonly first: number; readonly callsFrom: number } {
  const seq = wanted ?? last
  if (!Number.isSafeInteger(seq) || seq < 0 || seq > last) throw entryUnknown(runId, seq, last)
  if (seq >= maxSeq) throw transcriptFull(runId, maxSeq)
  const first = seq + 1
  return { seq, first, callsFrom: isFork ? Math.min(callsFrom, first) : first }
}

/** A part of a transcript that a run reads. */
export interface Span {
  readonly transcript: number
  /** The entries from this one on, */
  readonly from: number
  /** up to this one. */
  readonly to: number
}

/**
 * Returns the parts of transcripts that a run reads, the oldest first; parts may be empty. `chain` has the run's transcript,
 * its parent, and so on, each with the last entry that is read, and `at_seq` of its parent.
 */
export function spansIn(runId: string, place: RunPlace, chain: readonly SqlRow[], to = place.last): readonly Span[] {
  const spans = chain.map((row): Span => ({
    transcript: number(runId, row, 'number'),
    from: (optionalNumber(runId, row, 'at_seq') ?? 0) + 1,
    to: Math.min(number(runId, row, 'to_seq'), to),
  }))
  const isBegun = place.transcript !== place.number || spans[0]?.from === place.first
  if (!isBegun || spans.at(-1)?.from !== 1) throw runDamaged(runId, 'the row of its transcript', 'does not fit')
  return spans.toReversed()
}
