import type { Sql } from '../../stores/postgres/session.ts'
import { MemoryError } from '../memory-error.ts'
import type { MemoryLanguage } from '../memory-words.ts'

const program = 'statewright memory'
const layout = 1

/** The server's stemmer without its stop words: a memory may consist of stop words. */
const readers: Readonly<Record<MemoryLanguage, readonly string[]>> = {
  english: [
    'CREATE TEXT SEARCH DICTIONARY @.english_words (TEMPLATE = pg_catalog.snowball, Language = english)',
    'CREATE TEXT SEARCH CONFIGURATION @.words (COPY = pg_catalog.simple)',
    'ALTER TEXT SEARCH CONFIGURATION @.words ALTER MAPPING FOR asciiword, word WITH @.english_words',
  ],
  plain: ['CREATE TEXT SEARCH CONFIGURATION @.words (COPY = pg_catalog.simple)'],
}

const tables = [
  'CREATE TABLE @.memory_layout (program text NOT NULL, version int NOT NULL, language text NOT NULL)',
  `CREATE TABLE @.memories (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner text NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    data text NOT NULL,
    text text NOT NULL,
    at float8 NOT NULL,
    session text,
    words tsvector NOT NULL,
    vector real[],
    UNIQUE (owner, key)
  )`,
  'CREATE INDEX memories_by_age ON @.memories (owner, at, number)',
  'CREATE INDEX memories_by_session ON @.memories (owner, session, at, number)',
  'CREATE INDEX memories_by_word ON @.memories USING gin (words)',
]

const selectTables = `
  SELECT relname::text AS name FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = $1 AND relkind IN ('r', 'p', 'v', 'm', 'f')`

/** Creates the tables of a memory in an empty schema; throws a `MemoryError` for a schema with other content. */
export async function makeTables(sql: Sql, schema: string, language: MemoryLanguage): Promise<void> {
  if (await isMade(sql, schema, language)) return
  await sql('BEGIN')
  await sql('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', `${program}:${schema}`)
  if (!(await isMade(sql, schema, language))) {
    const [there] = await sql('SELECT 1 AS found FROM pg_catalog.pg_namespace WHERE nspname = $1', schema)
    if (there === undefined) await sql('CREATE SCHEMA @SCHEMA')
    for (const text of [...readers[language], ...tables]) await sql(text)
    await sql('INSERT INTO @.memory_layout (program, version, language) VALUES ($1, $2, $3)', program, layout, language)
  }
  await sql('COMMIT')
}

async function isMade(sql: Sql, schema: string, language: MemoryLanguage): Promise<boolean> {
  const found = (await sql(selectTables, schema)).map(({ name }) => name)
  if (found.length === 0) return false
  const [row] = found.includes('memory_layout')
    ? await sql('SELECT program, version, language FROM @.memory_layout')
    : []
  const wish = 'Nothing was changed: name another schema.'
  if (row === undefined || !found.includes('memories')) {
    throw new MemoryError('memory_foreign', `Schema "${schema}" has tables of another program. ${wish}`)
  }
  if (row['version'] !== layout) {
    throw new MemoryError('memory_foreign', `The memory in schema "${schema}" has another layout. ${wish}`)
  }
  if (row['language'] === language) return true
  const made = `The memory in schema "${schema}" was made for language: '${String(row['language'])}'.`
  throw new MemoryError('memory_foreign', `${made} Give that language, or name another schema.`)
}
