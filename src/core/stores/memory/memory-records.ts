import { FoundRecords, type FoundRow } from '../../domain/records/found-records.ts'
import type { RecordFields, RecordPut, RecordTable } from '../../domain/records/record-kind.ts'
import { recordKinds } from '../../domain/records/record-kinds.ts'
import { foundBy, type RecordRead, rowsOf, sortedBy } from '../../domain/records/record-read.ts'
import type { RecordChange, RecordWrite } from '../../domain/records/record-change.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Records } from '../../ports/records.ts'
import { keepFrozen, readKept } from '../rows/json-text.ts'
import { writeAfterRun } from '../rows/record-sql.ts'
import { RecordsRefused } from '../rows/records-refused.ts'
import type { Watchers } from '../rows/watchers.ts'
import type { MemoryRun } from './commit.ts'

interface MemoryRecord extends Omit<FoundRow, 'ageMs' | 'raised' | 'runStatus'> {
  readonly at: number
  readonly fields: RecordFields
}

/** The records of a store in memory, by kind and key. */
export class MemoryRecords {
  readonly #opened: () => ReadonlyMap<string, MemoryRun>
  readonly #clock: Pick<Clock, 'now'>
  readonly #watchers: Watchers
  readonly #kinds = new Map<string, Map<string, MemoryRecord>>()
  readonly #lastNumbers = new Map<string, number>()

  /** `opened` gives the runs, and throws if the store is closed. */
  constructor(
    opened: () => ReadonlyMap<string, MemoryRun>,
    { clock, watchers }: { readonly clock: Pick<Clock, 'now'>; readonly watchers: Watchers },
  ) {
    this.#opened = opened
    this.#clock = clock
    this.#watchers = watchers
  }

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

  /** Makes writes, all or none, and gives what undoes them. */
  write(writes: readonly RecordWrite[]): () => void {
    const made = writes.map((write) => this.#writing(write))
    const undo = made.map((write) => write())
    if (writes.some(({ put }) => put?.wakes === true)) this.#watchers.notifyOfWork()
    return () => {
      for (const one of undo.toReversed()) one()
    }
  }

  /** Makes changes in order, all or none, and returns a function that undoes them; throws `RecordsRefused`. */
  apply(changes: readonly RecordChange<unknown>[]): () => void {
    const made: (() => void)[] = []
    const answers: unknown[] = []
    const undo = () => {
      for (const one of made.toReversed()) one()
    }
    try {
      for (const { reads, judge } of changes) {
        const { answer, writes, refuses = false } = judge(this.#read(reads))
        answers.push(answer)
        if (refuses) throw new RecordsRefused(answers)
        made.push(this.write(writes))
      }
      return undo
    } catch (error) {
      undo()
      throw error
    }
  }

  forgetRun(runId: string, successorOf: () => string | undefined): void {
    for (const table of recordKinds.filter(({ afterRun }) => afterRun !== undefined)) {
      const rows = this.#rows(rowsOf(table, { index: 'run', values: [runId], limit: Infinity }), this.#clock.now())
      const successor = table.wantsSuccessor === true && rows.length > 0 ? successorOf() : undefined
      this.write(rows.flatMap((row) => writeAfterRun(table, row, successor) ?? []))
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
      raised: raisedIn(read.table, fields),
      runStatus: this.#opened().get(String(fields['run']))?.row.status,
    })
    if ('key' in read) {
      const row = this.#of(read.table).get(read.key)
      return row === undefined || row.at < oldest ? [] : [given(row)]
    }
    const { index, isRising = false, upTo = Infinity, behind, firstOf, limit } = read
    const wanted = foundBy(read)
    const rest = index === undefined && read.table.maxAgeMs !== undefined ? ['at'] : sortedBy(read)
    const placeOf = ({ at, number, fields }: MemoryRecord) => [
      ...rest.map((field) => (field === 'at' ? at : (fields[field] ?? 0))),
      number,
    ]
    const before = (one: Place, other: Place) => (isRising ? compare(one, other) : compare(other, one))
    const all = [...this.#of(read.table).values()]
    const isFirst = firstOf === undefined ? () => true : firstIn(all, read.table.indexes[firstOf] ?? [])
    return all
      .filter((row) => row.at >= oldest && wanted.every(([field, value]) => row.fields[field] === value))
      .filter((row) => upTo === Infinity || Number(placeOf(row)[0]) <= upTo)
      .filter((row) => (behind === undefined || before(behind, placeOf(row)) < 0) && isFirst(row))
      .sort((one, other) => before(placeOf(one), placeOf(other)))
      .slice(0, limit)
      .map(given)
  }

  /** Returns a function that writes and returns its undo; all errors are found before. */
  #writing({ table, key, put, raise }: RecordWrite): () => () => void {
    const rows = this.#of(table)
    const body = put && readKept(keepFrozen(put.body, `The ${table.name} "${key}"`))
    return () => {
      const before = rows.get(key)
      if (put !== undefined) this.#put(table, key, { ...put, body })
      else if (raise === undefined) rows.delete(key)
      else if (before !== undefined) rows.set(key, { ...before, fields: raised(table, before.fields, raise) })
      return () => void (before === undefined ? rows.delete(key) : rows.set(key, before))
    }
  }

  #put(table: RecordTable, key: string, { body, fields }: RecordPut): void {
    const rows = this.#of(table)
    const now = this.#clock.now()
    const oldest = now - (table.maxAgeMs ?? Infinity)
    for (const [one, { at }] of rows) if (at < oldest && one !== key) rows.delete(one)
    const before = rows.get(key)
    const number = before?.number ?? this.#next(table)
    const kept = before === undefined ? fields : raised(table, fields, raisedIn(table, before.fields))
    rows.set(key, { number, key, version: (before?.version ?? 0) + 1, at: now, fields: kept, body })
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

type Place = readonly (string | number)[]

function compare(one: Place, other: Place): number {
  const at = one.findIndex((part, index) => part !== other[index])
  const [left = 0, right = 0] = [one[at], other[at]]
  return left < right ? -1 : Number(left > right)
}

/** Returns true for the first record with its values in these fields. */
function firstIn(rows: readonly MemoryRecord[], on: readonly string[]): (row: MemoryRecord) => boolean {
  const lowest = new Map<string, number>()
  const valuesOf = ({ fields }: MemoryRecord) => JSON.stringify(on.map((field) => fields[field]))
  for (const row of rows) lowest.set(valuesOf(row), Math.min(row.number, lowest.get(valuesOf(row)) ?? Infinity))
  return (row) => lowest.get(valuesOf(row)) === row.number
}

function raisedIn({ fields: types }: RecordTable, fields: RecordFields): number | undefined {
  const field = Object.keys(types).find((one) => types[one] === 'raised')
  return field === undefined ? undefined : Number(fields[field])
}

function raised({ fields: types }: RecordTable, fields: RecordFields, to: number | undefined): RecordFields {
  const field = Object.keys(types).find((one) => types[one] === 'raised')
  return field === undefined || to === undefined ? fields : { ...fields, [field]: Math.max(Number(fields[field]), to) }
}
