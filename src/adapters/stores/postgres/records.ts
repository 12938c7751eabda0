import { FoundRecords, type FoundRow } from '../../../core/domain/records/found-records.ts'
import type { Judgement, RecordChange, RecordWrite } from '../../../core/domain/records/record-change.ts'
import type { RecordTable } from '../../../core/domain/records/record-kind.ts'
import { recordKinds } from '../../../core/domain/records/record-kinds.ts'
import type { RecordRead, RowsRead } from '../../../core/domain/records/record-read.ts'
import { text } from '../../../core/stores/rows/columns.ts'
import {
  createRecordSql,
  putColumns,
  putValues,
  readOfRun,
  recordRow,
  type RecordStatement,
  tableOf,
  writeAfterRun,
} from '../../../core/stores/rows/record-sql.ts'
import { RecordsRefused } from '../../../core/stores/rows/records-refused.ts'
import { PostgresFailure } from './failure.ts'
import { timeOr } from './lease-time.ts'
import type { Session, Sql, SqlValue } from './session.ts'

/** The dialect of Postgres; `@.` stands for the schema. */
const recordSql = createRecordSql({
  table: (name) => `@.${name}`,
  value: (position) => `$${position}`,
  time: timeOr,
  indexed: () => '',
  types: {
    number: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    numberOnce: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
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

/** Gives the place of a value in a statement, to which the value is added. */
export type AddValue = (value: SqlValue, type: string) => string

/** A statement that makes writes. */
interface Part {
  readonly text: (value: AddValue, now: number | null) => string
  /** How many records it has to put, if their keys must not be there. */
  readonly added?: number
}

const typeOf = { text: 'text', number: 'float8', raised: 'float8' } as const

/**
 * The statements that make writes, few of them: puts of one table are one statement. Of two puts of a key the last one counts.
 * Rows of `from` are there, or nothing is written.
 */
export function writeParts(writes: readonly RecordWrite[], { from = '', isNew }: PartOptions = {}): readonly Part[] {
  const puts = Map.groupBy(
    writes.filter(({ put }) => put !== undefined),
    (one) => `${one.table.name} ${isNew?.(one) === true}`,
  )
  return [
    ...[...puts.values()].map((group) =>
      putPart(
        group,
        from,
        group.some((one) => isNew?.(one)),
      ),
    ),
    ...writes.filter(({ put }) => put === undefined).map((one) => leavingPart(one, from)),
  ]
}

interface PartOptions {
  /** The name of a part of the same statement whose row has to be there. */
  readonly from?: string
  /** True for a put whose key must not be there. */
  readonly isNew?: (write: RecordWrite) => boolean
}

function putPart(group: readonly RecordWrite[], from: string, isNew: boolean): Part {
  const last = new Map(group.map((one) => [one.key, one]))
  const table = group[0]?.table ?? missing
  const rows = [...last.values()].flatMap(({ key, put }) => (put === undefined ? [] : [putValues(table, key, put)]))
  const [, ...names] = putColumns(table)
  const types = ['text', 'int', 'text', ...Object.values(table.fields).map((type) => typeOf[type])]
  const made: Part['text'] = (value, now) => {
    const columns = types.map((type, at) =>
      value(
        rows.map((row) => row[at] ?? null),
        `${type}[]`,
      ),
    )
    const listed = `unnest(${columns.join(', ')}) WITH ORDINALITY AS row (${names.join(', ')}, place)`
    const given = [timeOr(value(now, 'float8')), ...names.map((name) => `row.${name}`)].join(', ')
    const source = `SELECT ${given} FROM ${from === '' ? '' : `${from}, `}${listed} ORDER BY row.place`
    return recordSql.putting(table, source, isNew)
  }
  return { text: made, ...(isNew ? { added: rows.length } : {}) }
}

const missing: RecordTable = { name: '', fields: {}, indexes: {} }

/** Drops a record, or raises its number. */
function leavingPart(one: RecordWrite, from: string): Part {
  const { text: statement, values } = recordSql.write(one, null)
  return {
    text: (value) => {
      const typed = values.map((given) => value(given, typeof given === 'number' ? 'float8' : 'text'))
      const placed = statement.replaceAll(/\$(\d)/g, (_, place) => typed[Number(place) - 1] ?? 'NULL')
      return from === '' ? placed : `${placed} AND EXISTS (SELECT FROM ${from})`
    },
  }
}

/** True if writes make something to do for those who watch all runs. */
export function areNews(writes: readonly RecordWrite[]): boolean {
  return writes.some(({ put }) => put?.wakes === true)
}

const selectOutcome = 'SELECT pg_xact_status($1::text::xid8) AS outcome'

/** The part of a store in Postgres that keeps records. */
export type PostgresRecords = ReturnType<typeof createRecords>

/** The part of the store that keeps records; `tell` tells everybody that there may be something to do. */
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

  /**
   * Makes writes inside an open transaction, and gives its number, if they change anything. A record that a rival has put
   * meanwhile is judged anew.
   */
  async function make(sql: Sql, writes: readonly RecordWrite[], isNew = (_: RecordWrite) => false) {
    let transaction: string | undefined
    for (const part of writeParts(writes, { isNew })) {
      const values: SqlValue[] = []
      const made = part.text((one, type) => `$${values.push(one)}::${type}`, time())
      const rows = await sql(`${made} RETURNING pg_current_xact_id()::text AS transaction`, ...values)
      if (rows[0] !== undefined) transaction = text('', rows[0], 'transaction')
      if (rows.length < (part.added ?? 0)) throw new PostgresFailure('again', 'somebody else has put a record first')
    }
    for (const table of new Set(writes.map((one) => one.table))) {
      if (table.maxAgeMs === undefined) continue
      const old = recordSql.forgetOld(table, table.maxAgeMs, time())
      await sql(old.text, ...old.values)
    }
    return transaction
  }

  /** Judges a change by rows that nobody else changes, and makes its writes. */
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

    /** Makes changes one after the other inside an open transaction; throws `RecordsRefused` if one of them refuses. */
    async apply(sql: Sql, changes: readonly RecordChange<unknown>[]): Promise<void> {
      const answers: unknown[] = []
      for (const change of changes) {
        const { answer, refuses = false } = await apply(sql, change)
        answers.push(answer)
        if (refuses) throw new RecordsRefused(answers)
      }
    },

    /** Makes writes inside an open transaction. */
    async write(sql: Sql, writes: readonly RecordWrite[]): Promise<void> {
      await make(sql, writes)
    },

    /** Leaves of the records of a run what is to be left when it is deleted, inside an open transaction. */
    async forgetRun(sql: Sql, runId: string): Promise<void> {
      for (const table of recordKinds.filter(({ afterRun }) => afterRun !== undefined)) {
        let page: RowsRead | undefined = readOfRun(table, runId)
        while (page !== undefined) {
          const found: FoundRecords = await locked(sql, [page])
          const left = found.raw(page).flatMap((row) => writeAfterRun(table, row) ?? [])
          await make(sql, left)
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
