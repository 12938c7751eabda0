import { FoundRecords, type FoundRow } from '../../../core/domain/records/found-records.ts'
import type { RecordChange, RecordWrite } from '../../../core/domain/records/record-change.ts'
import type { RecordTable } from '../../../core/domain/records/record-kind.ts'
import { recordKinds } from '../../../core/domain/records/record-kinds.ts'
import type { RecordRead, RowsRead } from '../../../core/domain/records/record-read.ts'
import { text } from '../../../core/stores/rows/columns.ts'
import {
  createRecordSql,
  readOfRun,
  recordRow,
  type RecordStatement,
  tableOf,
  writeAfterRun,
} from '../../../core/stores/rows/record-sql.ts'
import { PostgresFailure } from './failure.ts'
import { timeOr } from './lease-time.ts'
import type { Session, Sql } from './session.ts'

/** The dialect of Postgres; `@.` stands for the schema. */
const recordSql = createRecordSql({
  table: (name) => `@.${name}`,
  value: (position) => `$${position}`,
  time: timeOr,
  indexed: () => '',
  types: {
    number: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    integer: 'int',
    float: 'float8',
    text: 'text',
  },
  tableEnd: '',
  greatest: 'greatest',
  runBody: "json_build_object('status', status, 'fence', fence, 'isHeld', owner IS NOT NULL)::text",
})

/** The statements that create the table of each kind, by its name. */
export const recordTables: ReadonlyMap<string, readonly string[]> = new Map(
  recordKinds.map((table) => {
    const [made = '', ...indexes] = recordSql.creation(table)
    const created = `CREATE ${table.isLossy === true ? 'UNLOGGED ' : ''}${made}`
    return [tableOf(table), [created, ...indexes.map((index) => `CREATE ${index}`)]]
  }),
)

const returning = ' RETURNING pg_current_xact_id()::text AS transaction'
const selectOutcome = 'SELECT pg_xact_status($1::text::xid8) AS outcome'

/** The part of the store that keeps records. */
export function createRecords({ look, read, write }: Session, now: () => number | undefined) {
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
      for (const one of reads) rows.push(await rowsOf(sql, recordSql.select(one, given)))
      return new FoundRecords(reads, rows)
    })
  }

  /** Reads what nobody else changes until the transaction ends. All lock in one order, so that nobody waits in a circle. */
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

  /** Makes a write, and gives the number of its transaction. A record that a rival has put meanwhile is judged anew. */
  async function make(sql: Sql, one: RecordWrite, isNew: boolean): Promise<string | undefined> {
    const { text: statement, values } = recordSql.write(one, time(), isNew)
    const [row] = await sql(statement + returning, ...values)
    if (row === undefined && isNew) throw new PostgresFailure('again', 'somebody else has put the record first')
    const { table } = one
    if (table.maxAgeMs !== undefined) {
      const old = recordSql.forgetOld(table, table.maxAgeMs, time())
      await sql(old.text, ...old.values)
    }
    return row === undefined ? undefined : text('', row, 'transaction')
  }

  return {
    records,

    async change<Answer>({ reads, judge }: RecordChange<Answer>): Promise<Answer> {
      if (reads.length > 0) {
        // Most changes that have nothing to write find that out without a lock.
        const { answer, writes } = judge(await records(reads))
        if (writes.length === 0) return answer
      }
      let attempt: { readonly transaction: string; readonly answer: Answer } | undefined
      return write(async (sql, isRepeat) => {
        if (isRepeat && attempt !== undefined && (await isStored(sql, attempt.transaction))) return attempt.answer
        const found = await locked(sql, reads)
        const { answer, writes } = judge(found)
        for (const one of writes) {
          const transaction = await make(sql, one, isAbsent(found, reads, one))
          if (transaction !== undefined) attempt = { transaction, answer }
        }
        return answer
      })
    },

    /** Makes writes inside an open transaction. */
    async write(sql: Sql, writes: readonly RecordWrite[]): Promise<void> {
      for (const one of writes) await make(sql, one, false)
    },

    /** Leaves of the records of a run what is to be left when it is deleted, inside an open transaction. */
    async forgetRun(sql: Sql, runId: string): Promise<void> {
      for (const table of recordKinds.filter(({ afterRun }) => afterRun !== undefined)) {
        let page: RowsRead | undefined = readOfRun(table, runId)
        while (page !== undefined) {
          const found: FoundRecords = await locked(sql, [page])
          for (const row of found.raw(page)) {
            const one = writeAfterRun(table, row)
            if (one !== undefined) await make(sql, one, false)
          }
          page = found.nextPage(page)
        }
      }
    },
  }
}

/** True for a put of a key that was read and not there. One that is too old may be there all the same. */
function isAbsent(found: FoundRecords, reads: readonly RecordRead[], { table, key, put }: RecordWrite): boolean {
  if (put === undefined || table.maxAgeMs !== undefined) return false
  return reads.some((read) => isRowOf(read, table, key)) && !found.has(table, key)
}

function isRowOf(read: RecordRead, table: RecordTable, key: string): boolean {
  return 'key' in read && read.table.name === table.name && read.key === key
}

/** Finds out what became of a transaction whose connection was lost in the moment of its commit. */
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
