import { isRecord } from '../../../core/domain/text/json.ts'
import { StoreError } from '../../../core/domain/store-error.ts'
import { text } from '../../../core/stores/rows/columns.ts'
import { recordTables } from './record-parts.ts'
import { type Steps, steps as today } from './schema.ts'
import type { Sql } from './session.ts'

const program = 'statewright store'
const unreleasedProgram = 'statewright'

/** The place of a store, and the migrations to its layout. */
export interface Migration {
  readonly schema: string
  readonly place: string
  readonly steps?: Steps
}

/**
 * Migrates a schema to the latest layout; throws `store_foreign` for a foreign schema. Writes nothing to a complete
 * schema.
 */
export async function migrate(sql: Sql, { schema, place, steps = today }: Migration): Promise<void> {
  await checkEncoding(sql, place)
  // Tables and layout are read one after the other. While another process migrates the schema they may not fit together.
  const before = await layoutOf(sql, { schema, place, steps }).catch(noneIfForeign)
  if (before?.version === steps.length && missingOf(before).length === 0) return
  await sql('BEGIN')
  // The second process waits here, and finds the migration done.
  await sql(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, `${program}:${schema}`)
  const found = await layoutOf(sql, { schema, place, steps })
  // A role may own an empty schema, and not be one that makes them.
  const [there] = await sql('SELECT 1 AS found FROM pg_catalog.pg_namespace WHERE nspname = $1', schema)
  if (there === undefined) await sql('CREATE SCHEMA @SCHEMA')
  for (const statement of [...steps.slice(found.version).flat(), ...missingOf(found)]) await sql(statement)
  const keep =
    'INSERT INTO @.layout (program, version) VALUES ($1, $2) ON CONFLICT (program) DO UPDATE SET version = $2'
  await sql(keep, program, steps.length)
  await sql('COMMIT')
}

function noneIfForeign(error: unknown): undefined {
  if (!(error instanceof StoreError) || error.code !== 'store_foreign') throw error
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

interface FoundLayout {
  /** 0 for a schema that is empty or not there. */
  readonly version: number
  readonly tables: readonly string[]
}

/** Returns the statements that create the tables of records that are missing. A kind that is new needs no new layout. */
function missingOf({ tables }: FoundLayout): readonly string[] {
  return [...recordTables].flatMap(([name, statements]) => (tables.includes(name) ? [] : statements))
}

async function layoutOf(sql: Sql, { schema, place, steps }: Required<Migration>): Promise<FoundLayout> {
  const found = (await sql(selectTables, schema)).map((row) => text('', row, 'name'))
  if (found.length === 0) return { version: 0, tables: found }
  const rows = found.includes('layout') ? await sql('SELECT to_jsonb(layout)::text AS row FROM @.layout') : []
  const parsed = rows.map((row) => JSON.parse(text('', row, 'row')) as unknown)
  const version = parsed.map((row) => versionIn(row, program)).find((one) => one !== undefined)
  if (version === undefined) {
    const isUnreleased = parsed.some((row) => versionIn(row, unreleasedProgram) !== undefined)
    const problem = isUnreleased
      ? `The store in ${place} comes from a version of statewright that was never released`
      : `Schema "${schema}" of ${place} holds tables of another program`
    throw foreign(problem, 'name another schema')
  }
  if (!Number.isSafeInteger(version) || version < 1 || version > steps.length) {
    throw foreign(
      `The store in ${place} has layout ${version}; this version of statewright reads layout ${steps.length}`,
      'use the version that wrote it, or another schema',
    )
  }
  const missing = tablesOf(steps.slice(0, version)).filter((name) => !found.includes(name))
  if (missing.length === 0) return { version, tables: found }
  throw foreign(
    `The store in ${place} lacks the tables ${missing.join(', ')} of its layout ${version}`,
    'restore it from a copy, or name another schema',
  )
}

function tablesOf(steps: Steps): readonly string[] {
  const created = steps
    .flat()
    .join('\n')
    .matchAll(/CREATE (?:UNLOGGED )?TABLE @\.(\w+)/g)
  return Array.from(created, ([, name = '']) => name)
}

/** Another program may have a table of the same name. */
function versionIn(row: unknown, of: string): number | undefined {
  const { program: writer, version } = isRecord(row) ? row : {}
  return writer === of && typeof version === 'number' ? version : undefined
}

function foreign(problem: string, wish: string): StoreError {
  return new StoreError('store_foreign', `${problem}. Nothing was changed: ${wish}.`)
}
