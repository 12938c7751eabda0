import type { RecordTable } from '../../domain/records/record-kind.ts'
import { foundBy, type RecordRead, rowsOf, type RowsRead, type RunRead } from '../../domain/records/record-read.ts'
import type { RecordWrite } from '../../domain/records/record-change.ts'
import type { FoundRow } from '../../domain/records/found-records.ts'
import { parseJson } from '../../domain/text/parse-json.ts'
import { number, optionalText, type SqlRow, text } from './columns.ts'
import { stringifyJson } from './json-text.ts'

/** The parts of SQL in which two databases differ. */
export interface RecordDialect {
  /** The name of a table in a statement. */
  readonly table: (name: string) => string
  /** The place of value `position`, which counts from 1. */
  readonly value: (position: number) => string
  /** The present time, made of the place of a value that is a time or null. */
  readonly time: (value: string) => string
  /** Follows the table in a statement that has to use an index. */
  readonly indexed: (index: string) => string
  readonly types: Readonly<Record<'number' | 'integer' | 'float' | 'text', string>>
  /** Ends the statement that creates a table. */
  readonly tableEnd: string
  /** The function that gives the greatest of its values. */
  readonly greatest: string
  /** What a run's row gives as its body. */
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

/** Records that one write removes because they are too old. */
const mostForgotten = 16

/** Makes the statements that keep records, from their declarations. */
export function createRecordSql(dialect: RecordDialect) {
  const { table, value, time, indexed, types } = dialect

  /** Only what is not too old, if the kind says how old that is. */
  const young = ({ maxAgeMs }: RecordTable) => (maxAgeMs === undefined ? [] : [`at >= ${time(value(1))} - ${maxAgeMs}`])
  const columns = (kind: RecordTable) => {
    const ofRun = `(SELECT status FROM ${table('runs')} WHERE id = ${tableOf(kind)}."run")`
    const status = kind.fields['run'] === 'text' ? ofRun : 'NULL'
    return `number, key, version, ${dialect.greatest}(${time(value(1))} - at, 0) AS age, body, ${status} AS run_status`
  }

  function selectRows(read: RowsRead, now: number | null): RecordStatement {
    const { table: kind, index, before, limit } = read
    const values: (string | number | null)[] = [now]
    const given = (one: string | number) => value(values.push(one))
    const fields = foundBy(read).map(([field, one]) => `"${field}" = ${given(one)}`)
    const page = before === undefined ? [] : [`number < ${given(before)}`]
    const used = index ?? (kind.maxAgeMs === undefined ? undefined : 'age')
    const order = used === 'age' ? 'at DESC, number DESC' : 'number DESC'
    const wanted = [...fields, ...young(kind), ...page].join(' AND ')
    const by = used === undefined ? '' : indexed(`${tableOf(kind)}_${used}`)
    const from = `${table(tableOf(kind))} ${by} ${wanted === '' ? '' : `WHERE ${wanted}`}`
    return { text: `SELECT ${columns(kind)} FROM ${from} ORDER BY ${order} LIMIT ${given(limit)}`, values }
  }

  function selectRun({ run }: RunRead, now: number | null): RecordStatement {
    const body = `number, id AS key, fence AS version, ${time(value(1))} * 0 AS age, ${dialect.runBody} AS body, NULL AS run_status`
    return { text: `SELECT ${body} FROM ${table('runs')} WHERE id = ${value(2)}`, values: [now, run] }
  }

  return {
    /** The statements that create the table of a kind. */
    creation(kind: RecordTable): readonly string[] {
      const name = tableOf(kind)
      const fields = Object.entries(kind.fields).map(
        ([field, type]) => `"${field}" ${type === 'text' ? types.text : types.float} NOT NULL`,
      )
      const own = [
        `number ${types.number}`,
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

    /** Puts a record, or drops it. `isNew` refuses one whose key is there. */
    write({ table: kind, key, put }: RecordWrite, now: number | null, isNew = false): RecordStatement {
      const name = table(tableOf(kind))
      if (put === undefined) return { text: `DELETE FROM ${name} WHERE key = ${value(1)}`, values: [key] }
      const fields = Object.keys(kind.fields)
      const body = stringifyJson(put.body, `The ${kind.name} "${key}"`)
      const values = [now, key, body, ...fields.map((field) => put.fields[field] ?? null)]
      const named = fields.map((field) => `"${field}"`)
      const into = `${name} (at, key, body, version${named.map((field) => `, ${field}`).join('')})`
      const places = [time(value(1)), value(2), value(3), '1', ...named.map((_, index) => value(index + 4))]
      const set = ['at', 'body', ...named].map((column) => `${column} = excluded.${column}`)
      const kept = isNew ? 'NOTHING' : `UPDATE SET version = ${tableOf(kind)}.version + 1, ${set.join(', ')}`
      return { text: `INSERT INTO ${into} VALUES (${places.join(', ')}) ON CONFLICT (key) DO ${kept}`, values }
    },

    /** Removes some of what is too old. The limit has a database look for these records alone. */
    forgetOld(kind: RecordTable, maxAgeMs: number, now: number | null): RecordStatement {
      const name = tableOf(kind)
      const old = `at < ${time(value(1))} - ${maxAgeMs} ORDER BY at LIMIT ${mostForgotten}`
      const numbers = `SELECT number FROM ${table(name)} ${indexed(`${name}_age`)} WHERE ${old}`
      return { text: `DELETE FROM ${table(name)} WHERE number IN (${numbers})`, values: [now] }
    },
  }
}

/** Reads the first page of the records that may change with a run. */
export function readOfRun(table: RecordTable, runId: string): RowsRead {
  return rowsOf(table, { index: 'run', values: [runId], limit: 500 })
}

/** Returns what is written of a record whose run is deleted; undefined if it stays as it is. */
export function writeAfterRun(table: RecordTable, { key, body }: FoundRow): RecordWrite | undefined {
  const left = table.afterRun?.(body) ?? 'keep'
  if (left === 'keep') return undefined
  return left === 'drop' ? { table, key } : { table, key, put: left }
}

/** Reads a row of a record as a database gives it. */
export function recordRow(row: SqlRow): FoundRow {
  const key = text('', row, 'key')
  const body = text('', row, 'body')
  return {
    number: number('', row, 'number'),
    key,
    version: number('', row, 'version'),
    ageMs: number('', row, 'age'),
    body: parsed(body),
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
