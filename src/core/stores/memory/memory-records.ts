import { FoundRecords, type FoundRow } from '../../domain/records/found-records.ts'
import type { RecordFields, RecordTable } from '../../domain/records/record-kind.ts'
import { recordKinds } from '../../domain/records/record-kinds.ts'
import { foundBy, type RecordRead } from '../../domain/records/record-read.ts'
import type { RecordWrite } from '../../domain/records/record-change.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Records } from '../../ports/records.ts'
import { keepFrozen, readKept } from '../rows/json-text.ts'
import type { MemoryRun } from './commit.ts'

interface MemoryRecord extends Omit<FoundRow, 'ageMs'> {
  readonly at: number
  readonly fields: RecordFields
}

/** The records of a store in memory, by kind and key. */
export class MemoryRecords {
  readonly #opened: () => ReadonlyMap<string, MemoryRun>
  readonly #clock: Pick<Clock, 'now'>
  readonly #kinds = new Map<string, Map<string, MemoryRecord>>()
  #lastNumber = 0

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
        const made = writes.map((write) => this.#writing(write))
        for (const write of made) write()
        return answer
      },
    }
  }

  /** Drops what goes with a run. */
  forgetRun(runId: string): void {
    for (const table of recordKinds) {
      if (table.goesWithRun !== true) continue
      const rows = this.#of(table)
      for (const [key, { fields }] of rows) if (fields['run'] === runId) rows.delete(key)
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
    const given = ({ number, key, version, at, body }: MemoryRecord): FoundRow => ({
      ...{ number, key, version, body },
      ageMs: Math.max(now - at, 0),
    })
    if ('key' in read) {
      const row = this.#of(read.table).get(read.key)
      return row === undefined || row.at < oldest ? [] : [given(row)]
    }
    const { index, before = Infinity, limit } = read
    const wanted = foundBy(read)
    return [...this.#of(read.table).values()]
      .filter(({ at, number, fields }) => {
        return at >= oldest && number < before && wanted.every(([field, value]) => fields[field] === value)
      })
      .sort((one, other) => (index === undefined ? other.at - one.at : 0) || other.number - one.number)
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
      const number = before?.number ?? ++this.#lastNumber
      rows.set(key, { number, key, version: (before?.version ?? 0) + 1, at: now, fields: put.fields, body })
    }
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
  return [{ number: run.number, key: id, version: fence, ageMs: 0, body }]
}
