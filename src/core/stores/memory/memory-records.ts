import { FoundRecords, type FoundRow } from '../../domain/records/found-records.ts'
import type { RecordFields, RecordTable } from '../../domain/records/record-kind.ts'
import { recordKinds } from '../../domain/records/record-kinds.ts'
import { foundBy, type RecordRead, rowsOf } from '../../domain/records/record-read.ts'
import type { RecordWrite } from '../../domain/records/record-change.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Records } from '../../ports/records.ts'
import { keepFrozen, readKept } from '../rows/json-text.ts'
import { writeAfterRun } from '../rows/record-sql.ts'
import type { MemoryRun } from './commit.ts'

interface MemoryRecord extends Omit<FoundRow, 'ageMs' | 'runStatus'> {
  readonly at: number
  readonly fields: RecordFields
}

/** The records of a store in memory, by kind and key. */
export class MemoryRecords {
  readonly #opened: () => ReadonlyMap<string, MemoryRun>
  readonly #clock: Pick<Clock, 'now'>
  readonly #kinds = new Map<string, Map<string, MemoryRecord>>()
  readonly #lastNumbers = new Map<string, number>()

  /** `opened` gives the runs, and throws if the store is closed. */
  constructor(opened: () => ReadonlyMap<string, MemoryRun>, clock: Pick<Clock, 'now'>) {
    this.#opened = opened
    this.#clock = clock
  }

  /** The methods of the port. */
  store(): Records {
    return {
      records: async (reads) => this.#read(reads),
      change: async ({ reads, judge }) => {
        const { answer, writes } = judge(this.#read(reads))
        this.write(writes)
        return answer
      },
    }
  }

  /** Makes writes, all or none. */
  write(writes: readonly RecordWrite[]): void {
    const made = writes.map((write) => this.#writing(write))
    for (const write of made) write()
  }

  /** Leaves of the records of a run what is to be left when it is deleted. */
  forgetRun(runId: string): void {
    for (const table of recordKinds.filter(({ afterRun }) => afterRun !== undefined)) {
      const rows = this.#rows(rowsOf(table, { index: 'run', values: [runId], limit: Infinity }), this.#clock.now())
      this.write(rows.flatMap((row) => writeAfterRun(table, row) ?? []))
    }
  }

  clear(): void {
    this.#kinds.clear()
  }

  #read(reads: readonly RecordRead[]): FoundRecords {
    const runs = this.#opened()
    const now = this.#clock.now()
    return new FoundRecords(
      reads,
      reads.map((read) => ('run' in read ? runRow(runs.get(read.run)) : this.#rows(read, now))),
    )
  }

  #rows(read: Exclude<RecordRead, { readonly run: string }>, now: number): readonly FoundRow[] {
    const oldest = now - (read.table.maxAgeMs ?? Infinity)
    const given = ({ number, key, version, at, body, fields }: MemoryRecord): FoundRow => ({
      ...{ number, key, version, body },
      ageMs: Math.max(now - at, 0),
      runStatus: this.#opened().get(String(fields['run']))?.row.status,
    })
    if ('key' in read) {
      const row = this.#of(read.table).get(read.key)
      return row === undefined || row.at < oldest ? [] : [given(row)]
    }
    const { index, before = Infinity, limit } = read
    const wanted = foundBy(read)
    const isByAge = index === undefined && read.table.maxAgeMs !== undefined
    return [...this.#of(read.table).values()]
      .filter(({ at, number, fields }) => {
        return at >= oldest && number < before && wanted.every(([field, value]) => fields[field] === value)
      })
      .sort((one, other) => (isByAge ? other.at - one.at : 0) || other.number - one.number)
      .slice(0, limit)
      .map(given)
  }

  /** Returns what makes a write; everything that can be wrong with it is found before. */
  #writing({ table, key, put }: RecordWrite): () => void {
    const rows = this.#of(table)
    if (put === undefined) return () => rows.delete(key)
    const body = readKept(keepFrozen(put.body, `The ${table.name} "${key}"`))
    return () => {
      const now = this.#clock.now()
      const oldest = now - (table.maxAgeMs ?? Infinity)
      for (const [one, { at }] of rows) if (at < oldest && one !== key) rows.delete(one)
      const before = rows.get(key)
      const number = before?.number ?? this.#next(table)
      rows.set(key, { number, key, version: (before?.version ?? 0) + 1, at: now, fields: put.fields, body })
    }
  }

  #next({ name }: RecordTable): number {
    const number = (this.#lastNumbers.get(name) ?? 0) + 1
    this.#lastNumbers.set(name, number)
    return number
  }

  #of({ name }: RecordTable): Map<string, MemoryRecord> {
    const rows = this.#kinds.get(name) ?? new Map<string, MemoryRecord>()
    this.#kinds.set(name, rows)
    return rows
  }
}

function runRow(run: MemoryRun | undefined): readonly FoundRow[] {
  if (run === undefined) return []
  const { fence, owner } = run.lease
  const { id, status } = run.row
  const body = { status, fence, isHeld: owner !== null }
  return [{ number: run.number, key: id, version: fence, ageMs: 0, body, runStatus: undefined }]
}
