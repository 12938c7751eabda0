import { isRecord } from '../../domain/json.ts'
import { StoreError } from '../../domain/store-error.ts'
import { text } from '../rows/columns.ts'
import { layout, steps } from './schema.ts'
import type { Sql } from './session.ts'

const program = 'statewright'

/**
 * Makes the schema one of today's layout, or throws `store_foreign` for one that is not ours to change. Where nothing is to
 * be done it changes nothing, and a role that may only read and write rows can do it.
 */
export async function migrate(sql: Sql, schema: string, place: string): Promise<void> {
  await checkEncoding(sql, place)
  if ((await layoutOf(sql, schema, place)) === layout) return
  await sql('BEGIN')
  // Whoever comes second waits here, and finds it done.
  await sql(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, `${program}:${schema}`)
  const found = await layoutOf(sql, schema, place)
  // A role may own an empty schema, and not be one that makes them.
  const [there] = await sql('SELECT 1 AS found FROM pg_catalog.pg_namespace WHERE nspname = $1', schema)
  if (there === undefined) await sql('CREATE SCHEMA @SCHEMA')
  for (const statement of steps.slice(found).flat()) await sql(statement)
  const keep =
    'INSERT INTO @.layout (program, version) VALUES ($1, $2) ON CONFLICT (program) DO UPDATE SET version = $2'
  await sql(keep, program, layout)
  await sql('COMMIT')
}

async function checkEncoding(sql: Sql, place: string): Promise<void> {
  const [row = {}] = await sql("SELECT current_setting('server_encoding') AS encoding")
  if (row['encoding'] === 'UTF8') return
  throw foreign(
    `${place} has the encoding ${text('', row, 'encoding')}, which cannot hold every text`,
    'use one of encoding UTF8',
  )
}

const selectTables = `
  SELECT relname::text AS name FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = $1 AND relkind IN ('r', 'p', 'v', 'm', 'f')`

/** The layout of a schema that is ours; 0 for one that is empty or not there. */
async function layoutOf(sql: Sql, schema: string, place: string): Promise<number> {
  const found = (await sql(selectTables, schema)).map((row) => text('', row, 'name'))
  if (found.length === 0) return 0
  const rows = found.includes('layout') ? await sql('SELECT to_jsonb(layout)::text AS row FROM @.layout') : []
  const version = rows.map((row) => versionIn(text('', row, 'row'))).find((one) => one !== undefined)
  if (version === undefined) {
    throw foreign(`Schema "${schema}" of ${place} holds tables of another program`, 'name another schema')
  }
  if (!Number.isSafeInteger(version) || version < 1 || version > layout) {
    const here = `this version of statewright reads layout ${layout}`
    throw foreign(
      `The store in ${place} has layout ${version}; ${here}`,
      'use the version that wrote it, or another schema',
    )
  }
  const missing = tablesOf(version).filter((name) => !found.includes(name))
  if (missing.length === 0) return version
  throw foreign(
    `The store in ${place} lacks the tables ${missing.join(', ')} of its layout ${version}`,
    'restore it from a copy, or name another schema',
  )
}

/** Returns the names of the tables that the steps up to a layout create. */
function tablesOf(version: number): readonly string[] {
  const created = steps
    .slice(0, version)
    .join('\n')
    .matchAll(/CREATE (?:UNLOGGED )?TABLE @\.(\w+)/g)
  return Array.from(created, ([, name = '']) => name)
}

/** A table of another program may be called the same. */
function versionIn(row: string): number | undefined {
  const parsed: unknown = JSON.parse(row)
  const { program: writer, version } = isRecord(parsed) ? parsed : {}
  return writer === program && typeof version === 'number' ? version : undefined
}

function foreign(problem: string, wish: string): StoreError {
  return new StoreError('store_foreign', `${problem}. Nothing was changed: ${wish}.`)
}
