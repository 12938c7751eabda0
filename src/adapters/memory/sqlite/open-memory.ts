import type { DatabaseSync as Database } from 'node:sqlite'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import { DatabaseSync, makeFile } from '../../stores/sqlite/module.ts'
import { MemoryError } from '../memory-error.ts'
import type { MemoryLanguage } from '../memory-words.ts'
import { inTransaction } from './in-transaction.ts'
import { indexRow } from './index-row.ts'

const memoryFileId = 0x73_77_6d_31
const layout = 2

const tables = `
  CREATE TABLE memories (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    key TEXT NOT NULL,
    at INTEGER NOT NULL,
    session TEXT,
    UNIQUE (owner, key)
  ) STRICT;
  CREATE TABLE owners (owner TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE memory_vectors (
    owner TEXT NOT NULL, number INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (owner, number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX memories_by_age ON memories (owner, at, number);
  CREATE INDEX memories_by_session ON memories (owner, session, at, number);
  PRAGMA application_id = ${memoryFileId};
  PRAGMA user_version = ${layout};`

const tokenizers = { english: 'porter unicode61 remove_diacritics 2', plain: 'unicode61 remove_diacritics 2' }

const indexOf = (language: MemoryLanguage) =>
  `CREATE VIRTUAL TABLE memory_text USING fts5(owner, text, context, tokenize = '${tokenizers[language]}')`

/** Indexes all memories again if they are not indexed, or for another language. */
function indexFor(database: Database, language: MemoryLanguage): void {
  const wanted = indexOf(language)
  const isMade = () => {
    const made = database.prepare(`SELECT sql FROM sqlite_schema WHERE name = 'memory_text'`).get()
    return made?.['sql'] === wanted
  }
  if (isMade()) return
  inTransaction(database, () => {
    if (isMade()) return
    database.exec(`DROP TABLE IF EXISTS memory_text; ${wanted}`)
    database.exec(`INSERT INTO memory_text (memory_text, rank) VALUES ('secure-delete', 1)`)
    const rows = database.prepare('SELECT number FROM memories ORDER BY number').all()
    for (const { number } of rows) indexRow(database, Number(number))
  })
}

const busyMs = 2_000

/** Opens a memory's file, or creates one that only its owner can read. Its words are indexed for the language. */
export function openMemory(path: string, language: MemoryLanguage): Database {
  makeFile(path)
  let opened: Database | undefined
  try {
    opened = new DatabaseSync(path)
    opened.exec(`PRAGMA busy_timeout = ${busyMs}; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON`)
    if (isEmpty(opened)) makeTables(opened)
    const id = numberOf(opened, 'application_id')
    const version = numberOf(opened, 'user_version')
    if (id !== memoryFileId || version !== layout) {
      const found = id === memoryFileId ? `a memory of layout ${version}` : 'not a memory'
      const wish = 'Name another file; nothing in this one was changed.'
      throw new MemoryError(
        'memory_foreign',
        `The file "${path}" is ${found}. Expected a memory of layout ${layout}. ${wish}`,
      )
    }
    opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    opened.exec('SELECT number FROM memories LIMIT 1')
    indexFor(opened, language)
    return opened
  } catch (cause) {
    opened?.close()
    if (cause instanceof MemoryError) throw cause
    const found = thrownText(cause)
    if (found.includes('fts5')) {
      const wish = 'Install Node 22.16 or newer and try again.'
      throw new MemoryError(
        'memory_failed',
        `This Node has no full-text search; it is ${process.versions.node}. ${wish}`,
        { cause },
      )
    }
    const wish = 'Name another file, or put back a copy of it.'
    throw new MemoryError('memory_foreign', `The memory "${path}" cannot be opened: ${found}. ${wish}`, { cause })
  }
}

/** Two processes may create the tables of one file at once. */
function makeTables(database: Database): void {
  inTransaction(database, () => {
    if (isEmpty(database)) database.exec(tables)
  })
}

function isEmpty(database: Database): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined
}

function numberOf(database: Database, name: string): number {
  return Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])
}
