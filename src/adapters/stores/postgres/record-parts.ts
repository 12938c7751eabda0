import type { RecordWrite } from '../../../core/domain/records/record-change.ts'
import type { RecordTable } from '../../../core/domain/records/record-kind.ts'
import { recordKinds } from '../../../core/domain/records/record-kinds.ts'
import { createRecordSql, putColumns, putValues, tableOf } from '../../../core/stores/rows/record-sql.ts'
import { timeOr } from './lease-time.ts'
import type { SqlValue } from './session.ts'

/** The dialect of Postgres; `@.` stands for the schema. */
export const recordSql = createRecordSql({
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

/** Adds a value to a statement, and returns its placeholder. */
export type AddValue = (value: SqlValue, type: string) => string

interface Part {
  readonly text: (value: AddValue, now: number | null) => string
  readonly added?: number
}

const typeOf = { text: 'text', number: 'float8', raised: 'float8' } as const

/** Returns the statements of writes, one for all puts of a table. If `from` has no row, they write nothing. */
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
  readonly from?: string
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
