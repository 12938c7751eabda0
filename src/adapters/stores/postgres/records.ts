import { FoundRecords, type FoundRow } from '../../../core/domain/records/found-records.ts'
import type { Judgement, RecordChange, RecordWrite } from '../../../core/domain/records/record-change.ts'
import type { RecordTable } from '../../../core/domain/records/record-kind.ts'
import { recordKinds } from '../../../core/domain/records/record-kinds.ts'
import type { RecordRead, RowsRead } from '../../../core/domain/records/record-read.ts'
import { text } from '../../../core/stores/rows/columns.ts'
import { readOfRun, recordRow, type RecordStatement, writeAfterRun } from '../../../core/stores/rows/record-sql.ts'
import { RecordsRefused } from '../../../core/stores/rows/records-refused.ts'
import { PostgresFailure } from './failure.ts'
import { recordSql, writeParts } from './record-parts.ts'
import type { Session, Sql, SqlValue } from './session.ts'
import { successorOf } from './transcripts.ts'

/** Returns true if writes create work that watchers of all runs should know of. */
export function areNews(writes: readonly RecordWrite[]): boolean {
  return writes.some(({ put }) => put?.wakes === true)
}

const selectOutcome = 'SELECT pg_xact_status($1::text::xid8) AS outcome'

/** The part of a store in Postgres that stores records. */
export type PostgresRecords = ReturnType<typeof createRecords>

/** Returns the part of the store that keeps records. `tell` notifies all watchers that there may be work. */
export function createRecords(
  { look, read, write }: Session,
  { now, tell }: { readonly now: () => number | undefined; readonly tell: () => Promise<void> },
) {
  const time = () => now() ?? null

  async function rowsOf(
    sql: Sql,
    { text: statement, values }: RecordStatement,
    lock = '',
  ): Promise<readonly FoundRow[]> {
    return (await sql(statement + lock, ...values)).map(recordRow)
  }

  async function records(reads: readonly RecordRead[]): Promise<FoundRecords> {
    const given = time()
    const [first, ...others] = reads
    if (first !== undefined && others.length === 0)
      return new FoundRecords(reads, [await look((sql) => rowsOf(sql, recordSql.select(first, given)))])
    return read(async (sql) => {
      const rows: (readonly FoundRow[])[] = []
      const byKey = await rowsByKey(sql, reads)
      for (const one of reads) rows.push(byKey.get(one) ?? (await rowsOf(sql, recordSql.select(one, given))))
      return new FoundRecords(reads, rows)
    })
  }

  async function rowsByKey(
    sql: Sql,
    reads: readonly RecordRead[],
  ): Promise<ReadonlyMap<RecordRead, readonly FoundRow[]>> {
    const byKind = Map.groupBy(
      reads.flatMap((one) => ('key' in one ? one : [])),
      ({ table }) => table,
    )
    const found = new Map<RecordRead, readonly FoundRow[]>()
    for (const [table, asked] of byKind) {
      if (asked.length < 2) continue
      const keys = asked.map(({ key }) => key)
      const rows = (await sql(recordSql.selectKeys(table), time(), keys)).map(recordRow)
      const byKey = new Map(rows.map((row) => [row.key, row]))
      for (const one of asked) found.set(one, [byKey.get(one.key) ?? []].flat())
    }
    return found
  }

  /** Reads rows and locks them until the transaction ends. All lock in one order, so that there is no deadlock. */
  async function locked(sql: Sql, reads: readonly RecordRead[]): Promise<FoundRecords> {
    const given = time()
    const rows = new Map<RecordRead, readonly FoundRow[]>()
    for (const one of reads.toSorted(byPlace)) {
      const lock = 'run' in one ? '' : ' FOR NO KEY UPDATE'
      rows.set(one, await rowsOf(sql, recordSql.select(one, given), lock))
    }
    return new FoundRecords(
      reads,
      reads.map((one) => rows.get(one) ?? []),
    )
  }

  /** Makes writes in an open transaction, and returns its number if they change anything. A rival's put is retried. */
  async function make(sql: Sql, writes: readonly RecordWrite[], isNew = (_: RecordWrite) => false) {
    let transaction: string | undefined
    for (const part of writeParts(writes, { isNew })) {
      const values: SqlValue[] = []
      const made = part.text((one, type) => `$${values.push(one)}::${type}`, time())
      const rows = await sql(`${made} RETURNING pg_current_xact_id()::text AS transaction`, ...values)
      if (rows[0] !== undefined) transaction = text('', rows[0], 'transaction')
      if (rows.length < (part.added ?? 0)) throw new PostgresFailure('again', 'another writer has put a record first')
    }
    for (const table of new Set(writes.map((one) => one.table))) {
      if (table.maxAgeMs === undefined) continue
      const old = recordSql.forgetOld(table, table.maxAgeMs, time())
      await sql(old.text, ...old.values)
    }
    return transaction
  }

  async function apply<Answer>(sql: Sql, { reads, judge }: RecordChange<Answer>) {
    const found = await locked(sql, reads)
    const judged = judge(found)
    const transaction = await make(sql, judged.writes, (one) => isAbsent(found, reads, one))
    return { ...judged, transaction }
  }

  return {
    records,

    async change<Answer>(change: RecordChange<Answer>): Promise<Answer> {
      const { reads, judge } = change
      if (reads.length > 0) {
        // Most changes that have nothing to write find that out without a lock.
        const { answer, writes } = judge(await records(reads))
        if (writes.length === 0) return answer
      }
      let attempt: { readonly transaction: string; readonly judged: Judgement<Answer> } | undefined
      const { answer, writes } = await write(async (sql, isRepeat) => {
        if (isRepeat && attempt !== undefined && (await isStored(sql, attempt.transaction))) return attempt.judged
        const { transaction, ...judged } = await apply(sql, change)
        if (transaction !== undefined) attempt = { transaction, judged }
        return judged
      })
      if (areNews(writes)) await tell().catch(() => undefined)
      return answer
    },

    async apply(sql: Sql, changes: readonly RecordChange<unknown>[]): Promise<void> {
      const answers: unknown[] = []
      for (const change of changes) {
        const { answer, refuses = false } = await apply(sql, change)
        answers.push(answer)
        if (refuses) throw new RecordsRefused(answers)
      }
    },

    async write(sql: Sql, writes: readonly RecordWrite[]): Promise<void> {
      await make(sql, writes)
    },

    async forgetRun(sql: Sql, runId: string): Promise<void> {
      for (const table of recordKinds.filter(({ afterRun }) => afterRun !== undefined)) {
        let page: RowsRead | undefined = readOfRun(table, runId)
        while (page !== undefined) {
          const found: FoundRecords = await locked(sql, [page])
          const rows = found.raw(page)
          const successor = table.wantsSuccessor === true && rows.length > 0 ? await successorOf(sql, runId) : undefined
          await make(
            sql,
            rows.flatMap((row) => writeAfterRun(table, row, successor) ?? []),
          )
          page = found.nextPage(page)
        }
      }
    },
  }
}

/** Returns true for a put of a key that was read and not there. One that is too old may be there all the same. */
function isAbsent(found: FoundRecords, reads: readonly RecordRead[], { table, key, put }: RecordWrite): boolean {
  if (put === undefined || table.maxAgeMs !== undefined) return false
  return reads.some((read) => isRowOf(read, table, key)) && !found.has(table, key)
}

function isRowOf(read: RecordRead, table: RecordTable, key: string): boolean {
  return 'key' in read && read.table.name === table.name && read.key === key
}

async function isStored(sql: Sql, transaction: string): Promise<boolean> {
  const [row = {}] = await sql(selectOutcome, transaction)
  const outcome = text('', row, 'outcome')
  if (outcome === 'in progress') throw new PostgresFailure('again', 'the server has not ended the lost transaction yet')
  return outcome === 'committed'
}

function byPlace(one: RecordRead, other: RecordRead): number {
  const [left, right] = [placeOf(one), placeOf(other)]
  return left < right ? -1 : Number(left > right)
}

function placeOf(read: RecordRead): string {
  if ('run' in read) return ''
  return JSON.stringify([read.table.name, 'key' in read ? read.key : read.values])
}
