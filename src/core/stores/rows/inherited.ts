import { number, type SqlRow, text } from './columns.ts'
import { placeOf, type RunPlace } from './run-place.ts'
import { inheritedDamage } from './store-errors.ts'
import type { LogRow } from './stored-rows.ts'

/** A stored run whose entries another run reads. */
export interface Writer {
  readonly id: string
  /** The part of its entries that is read. */
  readonly first: number
  readonly last: number
}

/** The writers in these rows of runs, each with the part of a transcript that is read as `from_seq` and `to_seq`. */
export function writersIn(rows: readonly SqlRow[]): readonly Writer[] {
  const writers = rows.map((row): Writer => {
    const id = text('', row, 'id')
    const { first, last } = placeOf(id, row)
    return {
      id,
      first: Math.max(first, number(id, row, 'from_seq')),
      last: Math.min(last, number(id, row, 'to_seq')),
    }
  })
  return writers.filter(({ first, last }) => first <= last)
}

/** Returns the run that wrote an entry, or undefined if it is gone. */
export function writerOf(writers: readonly Writer[], seq: number): string | undefined {
  return writers.find(({ first, last }) => first <= seq && seq <= last)?.id
}

/** The inherited rows of a run. */
export interface InheritedPart {
  readonly runId: string
  readonly place: RunPlace
  /** In order of `seq`. */
  readonly rows: readonly LogRow[]
}

/** Returns true if no entry before the run's own is missing. */
export function isWhole({ place, rows }: InheritedPart): boolean {
  return rows.length === place.first - 1
}

/** Throws if a row was lost. All other missing numbers belong to deleted runs. */
export function checkInherited({ runId, place, rows }: InheritedPart, writers: readonly Writer[]): void {
  let next = 1
  for (const seq of [...rows.map((row) => row.seq), place.first]) {
    const gap = [next, seq - 1] as const
    const writer = gap[0] > gap[1] ? undefined : writers.find((one) => one.first <= gap[1] && one.last >= gap[0])
    if (writer !== undefined) throw inheritedDamage(runId, { seq: Math.max(gap[0], writer.first), writer: writer.id })
    next = seq + 1
  }
}
