import { FoundRecords } from '../../../core/domain/records/found-records.ts'
import type { Judgement, RecordChange, RecordWrite } from '../../../core/domain/records/record-change.ts'
import type { RecordTable } from '../../../core/domain/records/record-kind.ts'
import { recordKinds } from '../../../core/domain/records/record-kinds.ts'
import type { RecordRead, RowsRead } from '../../../core/domain/records/record-read.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { SqlRow } from '../../../core/stores/rows/columns.ts'
import {
  createRecordSql,
  readOfRun,
  recordRow,
  type RecordStatement,
  tableOf,
  writeAfterRun,
} from '../../../core/stores/rows/record-sql.ts'
import { RecordsRefused } from '../../../core/stores/rows/records-refused.ts'
import type { Watchers } from '../../../core/stores/rows/watchers.ts'
import type { Session } from './session.ts'
import { successorOf } from './transcripts.ts'

/** The statements of records. Each select names its index, so that its plan does not depend on the rest of the file. */
export const recordSql = createRecordSql({
  table: (name) => name,
  value: (position) => `?${position}`,
  time: (value) => value,
  indexed: (index) => `INDEXED BY ${index}`,
  types: {
    number: 'INTEGER PRIMARY KEY',
    numberOnce: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    integer: 'INTEGER',
    float: 'REAL',
    text: 'TEXT',
  },
  tableEnd: ' STRICT',
  greatest: 'max',
  runBody: "json_object('status', status, 'fence', fence, 'isHeld', json(iif(owner IS NULL, 'false', 'true')))",
})

const selectTable = "SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = ?"

/** The part of a store in a file that stores records. */
export type SqliteRecords = ReturnType<typeof createRecords>

/** Returns the part of the store that keeps records. The first write of a kind creates its table. */
export function createRecords(
  session: Session,
  { clock, watchers }: { readonly clock: Pick<Clock, 'now'>; readonly watchers: Watchers },
) {
  const { sql } = session
  const known = new Set<string>()

  function isThere(table: RecordTable): boolean {
    return known.has(table.name) || sql(selectTable).get(tableOf(table)) !== undefined
  }

  function all({ text, values }: RecordStatement): readonly SqlRow[] {
    return sql(text).all(...values)
  }

  function run({ text, values }: RecordStatement): void {
    sql(text).run(...values)
  }

  function found(reads: readonly RecordRead[]): FoundRecords {
    const now = clock.now()
    const rows = reads.map((one) =>
      'run' in one || isThere(one.table) ? all(recordSql.select(one, now)).map(recordRow) : [],
    )
    return new FoundRecords(reads, rows)
  }

  /** Reads at the start of a transaction, before anything could create a table that is undone with it. */
  function foundFirst(reads: readonly RecordRead[]): FoundRecords {
    const rows = found(reads)
    for (const one of reads) if ('table' in one && isThere(one.table)) known.add(one.table.name)
    return rows
  }

  function write(writes: readonly RecordWrite[]): void {
    const now = clock.now()
    for (const one of writes) {
      const { table } = one
      if (!isThere(table)) {
        if (one.put === undefined) continue
        for (const made of recordSql.creation(table)) sql(`CREATE ${made}`).run()
      }
      run(recordSql.write(one, now))
      if (table.maxAgeMs !== undefined) run(recordSql.forgetOld(table, table.maxAgeMs, now))
    }
    // They are called in a microtask, when the transaction has ended.
    if (writes.some(({ put }) => put?.wakes === true)) watchers.notifyOfWork()
  }

  return {
    records: (reads: readonly RecordRead[]) => session.read(() => foundFirst(reads)),
    write,

    apply(changes: readonly RecordChange<unknown>[]): void {
      const answers: unknown[] = []
      for (const { reads, judge } of changes) {
        const { answer, writes, refuses = false } = judge(found(reads))
        answers.push(answer)
        if (refuses) throw new RecordsRefused(answers)
        write(writes)
      }
    },

    change<Answer>({ reads, judge, isWrite }: RecordChange<Answer>): Answer {
      const judged = () => judge(foundFirst(reads))
      const apply = ({ writes }: Judgement<Answer>) => write(writes)
      if (isWrite !== true)
        return session.settle(judged, apply, { isNothing: ({ writes }) => writes.length === 0 }).answer
      return session.write(() => {
        const judgement = judged()
        apply(judgement)
        return judgement.answer
      })
    },

    forgetRun(runId: string): void {
      for (const table of recordKinds.filter(({ afterRun }) => afterRun !== undefined)) {
        let page: RowsRead | undefined = readOfRun(table, runId)
        while (page !== undefined) {
          const given: FoundRecords = found([page])
          const rows = given.raw(page)
          const successor = table.wantsSuccessor === true && rows.length > 0 ? successorOf(session, runId) : undefined
          write(rows.flatMap((row) => writeAfterRun(table, row, successor) ?? []))
          page = given.nextPage(page)
        }
      }
    },
  }
}
