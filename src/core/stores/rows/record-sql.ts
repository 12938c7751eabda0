import type { RecordPut, RecordTable } from '../../domain/records/record-kind.ts'
import {
  foundBy,
  type RecordRead,
  rowsOf,
  type RowsRead,
  type RunRead,
  sortedBy,
} from '../../domain/records/record-read.ts'
import type { RecordWrite } from '../../domain/records/record-change.ts'
import type { FoundRow } from '../../domain/records/found-records.ts'
import { parseJson } from '../../domain/text/parse-json.ts'
import { number, optionalNumber, optionalText, type SqlRow, text } from './columns.ts'
import { stringifyJson } from './json-text.ts'

/** The parts of SQL in which two databases differ. */
export interface RecordDialect {
  readonly table: (name: string) => string
  /** The place of value `position`, which counts from 1. */
  readonly value: (position: number) => string
  /** The present time, made of the place of a value that is a time or null. */
  readonly time: (value: string) => string
  /** Follows the table in a statement that has to use an index. */
  readonly indexed: (index: string) => string
  readonly types: Readonly<Record<'number' | 'numberOnce' | 'integer' | 'float' | 'text', string>>
  readonly tableEnd: string
  readonly greatest: string
  /** The body of a run's row. */
  readonly runBody: string
}

/** A statement and its values. */
export interface RecordStatement {
  readonly text: string
  readonly values: readonly (string | number | null)[]
}

/** Returns the name of the table of a kind. */
export function tableOf({ name }: RecordTable): string {
  return `record_${name}`
}

/** The maximum number of outdated records that one write removes. */
const mostForgotten = 16

/** Returns the statements that store records, derived from their declarations. */
export function createRecordSql(dialect: RecordDialect) {
  const { table, value, time, indexed, types } = dialect

  /** Selects only records that are not too old, if the kind has a maximum age. */
  const young = ({ maxAgeMs }: RecordTable) => (maxAgeMs === undefined ? [] : [`at >= ${time(value(1))} - ${maxAgeMs}`])
  const columns = (kind: RecordTable) => {
    const ofRun = `(SELECT status FROM ${table('runs')} WHERE id = ${tableOf(kind)}."run")`
    const status = kind.fields['run'] === 'text' ? ofRun : 'NULL'
    const raised = raisedOf(kind)
    const own = `number, key, version, ${dialect.greatest}(${time(value(1))} - at, 0) AS age, body`
    return `${own}, ${raised === undefined ? 'NULL' : `"${raised}"`} AS raised, ${status} AS run_status`
  }
  const isFirst = (kind: RecordTable, index: string) => {
    const name = tableOf(kind)
    const same = (kind.indexes[index] ?? []).map((field) => `earlier."${field}" = ${name}."${field}"`)
    const conditions = [...same, `earlier.number < ${name}.number`].join(' AND ')
    return `NOT EXISTS (SELECT 1 FROM ${table(name)} AS earlier ${indexed(`${name}_${index}`)} WHERE ${conditions})`
  }

  function selectRows(read: RowsRead, now: number | null): RecordStatement {
    const { table: kind, index, isRising = false, upTo, behind, firstOf, limit } = read
    const values: (string | number | null)[] = [now]
    const given = (one: string | number) => value(values.push(one))
    const used = index ?? (kind.maxAgeMs === undefined ? undefined : 'age')
    const rest = used === 'age' ? ['at'] : sortedBy(read).map((field) => `"${field}"`)
    const order = [...rest, 'number']
    const wanted = [
      ...foundBy(read).map(([field, one]) => `"${field}" = ${given(one)}`),
      ...young(kind),
      ...(upTo === undefined ? [] : [`${rest[0]} <= ${given(upTo)}`]),
      ...(behind === undefined ? [] : [pageBehind(order, isRising, behind.map(given))]),
      ...(firstOf === undefined ? [] : [isFirst(kind, firstOf)]),
    ].join(' AND ')
    const by = used === undefined ? '' : indexed(`${tableOf(kind)}_${used}`)
    const from = `${table(tableOf(kind))} ${by} ${wanted === '' ? '' : `WHERE ${wanted}`}`
    const sorted = order.map((column) => `${column} ${isRising ? 'ASC' : 'DESC'}`).join(', ')
    return { text: `SELECT ${columns(kind)} FROM ${from} ORDER BY ${sorted} LIMIT ${given(limit)}`, values }
  }

  function selectRun({ run }: RunRead, now: number | null): RecordStatement {
    const body = `number, id AS key, fence AS version, ${time(value(1))} * 0 AS age, ${dialect.runBody} AS body, NULL AS raised, NULL AS run_status`
    return { text: `SELECT ${body} FROM ${table('runs')} WHERE id = ${value(2)}`, values: [now, run] }
  }

  /** Puts records that `source` gives, column by column as `putColumns` names them. `isNew` leaves one whose key is there. */
  function putting(kind: RecordTable, source: string, isNew: boolean): string {
    const name = tableOf(kind)
    const raised = raisedOf(kind)
    const columnsOfPut = putColumns(kind)
    const kept = columnsOfPut.filter((column) => column !== 'key' && column !== 'version')
    const set = kept.map((column) => {
      const isRaised = column === `"${raised}"`
      return `${column} = ${isRaised ? `${dialect.greatest}(${name}.${column}, excluded.${column})` : `excluded.${column}`}`
    })
    const conflict = isNew ? 'NOTHING' : `UPDATE SET version = ${name}.version + 1, ${set.join(', ')}`
    return `INSERT INTO ${table(name)} (${columnsOfPut.join(', ')}) ${source} ON CONFLICT (key) DO ${conflict}`
  }

  return {
    creation(kind: RecordTable): readonly string[] {
      const name = tableOf(kind)
      const fields = Object.entries(kind.fields).map(
        ([field, type]) => `"${field}" ${type === 'text' ? types.text : types.float} NOT NULL`,
      )
      const own = [
        `number ${kind.isNumberedOnce === true ? types.numberOnce : types.number}`,
        `key ${types.text} NOT NULL UNIQUE`,
        `version ${types.integer} NOT NULL`,
        `at ${types.float} NOT NULL`,
      ]
      const indexes = Object.entries(kind.indexes).map(
        ([index, on]) => [index, on.map((field) => `"${field}"`)] as const,
      )
      const aged = kind.maxAgeMs === undefined ? [] : [['age', ['at']] as const]
      return [
        `TABLE ${table(name)} (${[...own, ...fields, `body ${types.text} NOT NULL`].join(', ')})${dialect.tableEnd}`,
        ...[...indexes, ...aged].map(
          ([index, on]) => `INDEX ${name}_${index} ON ${table(name)} (${[...on, 'number'].join(', ')})`,
        ),
      ]
    },

    select(read: RecordRead, now: number | null): RecordStatement {
      if ('run' in read) return selectRun(read, now)
      if ('values' in read) return selectRows(read, now)
      const wanted = [`key = ${value(2)}`, ...young(read.table)].join(' AND ')
      const from = `${table(tableOf(read.table))} WHERE ${wanted}`
      return { text: `SELECT ${columns(read.table)} FROM ${from}`, values: [now, read.key] }
    },

    selectKeys: (kind: RecordTable): string => {
      const wanted = [`key = ANY (${value(2)})`, ...young(kind)].join(' AND ')
      return `SELECT ${columns(kind)} FROM ${table(tableOf(kind))} WHERE ${wanted}`
    },

    putting,

    write({ table: kind, key, put, raise }: RecordWrite, now: number | null): RecordStatement {
      const name = table(tableOf(kind))
      if (put !== undefined) {
        const places = putColumns(kind).map((_, index) => (index === 0 ? time(value(1)) : value(index + 1)))
        const source = `VALUES (${places.join(', ')})`
        return { text: putting(kind, source, false), values: [now, ...putValues(kind, key, put)] }
      }
      if (raise === undefined) return { text: `DELETE FROM ${name} WHERE key = ${value(1)}`, values: [key] }
      const raised = `"${raisedOf(kind)}"`
      const raising = `SET ${raised} = ${value(2)} WHERE key = ${value(1)} AND ${raised} < ${value(2)}`
      return { text: `UPDATE ${name} ${raising}`, values: [key, raise] }
    },

    /** Removes some of the records that are too old. The limit makes a database search only these records. */
    forgetOld(kind: RecordTable, maxAgeMs: number, now: number | null): RecordStatement {
      const name = tableOf(kind)
      const old = `at < ${time(value(1))} - ${maxAgeMs} ORDER BY at LIMIT ${mostForgotten}`
      const numbers = `SELECT number FROM ${table(name)} ${indexed(`${name}_age`)} WHERE ${old}`
      return { text: `DELETE FROM ${table(name)} WHERE number IN (${numbers})`, values: [now] }
    },
  }
}

/** Returns the columns of a put, beginning with the time. */
export function putColumns(kind: RecordTable): readonly string[] {
  return ['at', 'key', 'version', 'body', ...Object.keys(kind.fields).map((field) => `"${field}"`)]
}

/** Returns the values of these columns without the time. */
export function putValues(
  kind: RecordTable,
  key: string,
  { body, fields }: RecordPut,
): readonly (string | number | null)[] {
  const stored = stringifyJson(body, `The ${kind.name} "${key}"`)
  return [key, 1, stored, ...Object.keys(kind.fields).map((field) => fields[field] ?? null)]
}

function raisedOf({ fields }: RecordTable): string | undefined {
  return Object.keys(fields).find((field) => fields[field] === 'raised')
}

/** Returns the condition for a place after another one in an order of columns; an index finds the first column. */
function pageBehind(order: readonly string[], isRising: boolean, place: readonly string[]): string {
  const [first = '', ...others] = order
  const is = isRising ? '>' : '<'
  const whole = `(${order.join(', ')}) ${is} (${place.join(', ')})`
  return others.length === 0 ? `${first} ${is} ${place[0]}` : `${first} ${is}= ${place[0]} AND ${whole}`
}

/** Returns the read of the first page of the records that may change with a run. */
export function readOfRun(table: RecordTable, runId: string): RowsRead {
  return rowsOf(table, { index: 'run', values: [runId], limit: 500 })
}

/** Returns the write for a record whose run is deleted, or undefined if the record stays as it is. */
export function writeAfterRun(
  table: RecordTable,
  { key, body }: FoundRow,
  successor?: string,
): RecordWrite | undefined {
  const left = table.afterRun?.(body, successor) ?? 'keep'
  if (left === 'keep') return undefined
  return left === 'drop' ? { table, key } : { table, key, put: left }
}

/** Returns a record's row from a database row. */
export function recordRow(row: SqlRow): FoundRow {
  const key = text('', row, 'key')
  const body = text('', row, 'body')
  return {
    number: number('', row, 'number'),
    key,
    version: number('', row, 'version'),
    ageMs: number('', row, 'age'),
    body: parsed(body),
    raised: optionalNumber('', row, 'raised') ?? undefined,
    runStatus: optionalText('', row, 'run_status') ?? undefined,
  }
}

function parsed(body: string): unknown {
  try {
    return parseJson(body)
  } catch {
    return undefined
  }
}
