import type { DatabaseSync as Database } from 'node:sqlite'
import { isRecord } from '../../../core/domain/text/json.ts'
import {
  checkedElsewhere,
  checkOptions,
  expecting,
  filledText,
  number,
  optional,
  type OptionShape,
  text,
} from '../../../core/domain/text/option-shape.ts'
import { isText } from '../../../core/domain/text/shape.ts'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import { UsageError } from '../../../core/domain/text/usage-error.ts'
import type { FoundMemory, Memory, MemoryItem, MemoryQuery } from '../../../core/ports/memory.ts'
import { ownerOf, textIn, wordsIn } from './memory-words.ts'
import { forget, remove } from './forget-memories.ts'
import { inTransaction } from './in-transaction.ts'
import { MemoryError } from './memory-error.ts'
import { openMemory } from './open-memory.ts'

/** How much a memory keeps, and how much it gives. */
export interface SqliteMemoryOptions {
  /** Memories of one user; the oldest go where there are more. Default 10,000. */
  readonly maxRows?: number
  /** Bytes of one memory as JSON; a larger one is refused. Default 64,000. */
  readonly maxBytes?: number
  /** Memories that a query gives. Default 10. */
  readonly limit?: number
  /** Bytes of what a query gives together. Default 16,000. */
  readonly limitBytes?: number
}

/** A memory in a file of its own, which many processes may use. */
export interface SqliteMemory extends Memory {
  /** Gives the file back. */
  close(): void
}

const isWhole = (value: number) => Number.isSafeInteger(value) && value >= 1
const whole = optional(number('a whole number of 1 or more', isWhole))
const shape: OptionShape<SqliteMemoryOptions> = { maxRows: whole, maxBytes: whole, limit: whole, limitBytes: whole }

const itemShape: OptionShape<MemoryItem> = {
  userId: filledText,
  kind: filledText,
  key: filledText,
  data: checkedElsewhere,
  at: number('a finite number of Unix milliseconds', Number.isFinite),
  session: optional(text),
}

const checkQuery = expecting(
  '{ userId, input } with two texts',
  (query) => isRecord(query) && isText(query['userId']) && isText(query['input']),
)

/**
 * Keeps memories in a SQLite file, found by full-text search: by how well their words match, then the newest first.
 * Throws a `MemoryError` for a file that is no memory.
 *
 * @example
 * const memory = sqliteMemory('memory.db')
 */
export function sqliteMemory(path: string, given: SqliteMemoryOptions = {}): SqliteMemory {
  checkOptions('sqliteMemory', given, shape)
  if (typeof path !== 'string' || path === '') {
    throw new UsageError('bad_option', 'sqliteMemory was given no path. Expected the path of a file, or ":memory:".')
  }
  const { maxRows = 10_000, maxBytes = 64_000, limit = 10, limitBytes = 16_000 } = given
  const database = openMemory(path)
  const run = async <Made>(act: (database: Database) => Made | Promise<Made>): Promise<Made> => {
    try {
      return await act(database)
    } catch (cause) {
      throw failed(path, cause)
    }
  }
  return {
    query: (query) => run((open) => within(found(open, query, limit), limitBytes)),
    add: (item) => run((open) => added(open, item, { maxRows, maxBytes })),
    forget: (userId) =>
      run((open) => {
        filledText(userId, { field: 'userId', owner: 'memory.forget' })
        return forget(open, ownerOf(userId))
      }),
    close: () => database.close(),
  }
}

function failed(path: string, cause: unknown): Error {
  if (cause instanceof UsageError || cause instanceof MemoryError) return cause
  return new MemoryError('memory_failed', `The memory "${path}" failed: ${thrownText(cause)}.`, { cause })
}

function found(database: Database, query: MemoryQuery, limit: number): readonly FoundMemory[] {
  checkQuery(query, { field: 'query', owner: 'memory.query' })
  const { userId, input } = query
  const words = wordsIn(input)
  if (words.length === 0) return []
  const match = `owner : "${ownerOf(userId)}" AND text : (${words.map((word) => `"${word}"`).join(' OR ')})`
  const rows = database.prepare(search).all(match, limit)
  return rows.map(({ kind, data, key, at, session }) => ({
    kind: String(kind),
    data: JSON.parse(String(data)),
    key: String(key),
    at: Number(at),
    ...(session === null ? {} : { session: String(session) }),
  }))
}

const search = `
  SELECT kind, data, key, at, session FROM memory_text JOIN memories ON memories.number = memory_text.rowid
  WHERE memory_text MATCH ? ORDER BY bm25(memory_text, 0.0, 1.0), at DESC, number DESC LIMIT ?`

/** As many as have room together, the first always. */
function within(memories: readonly FoundMemory[], most: number): readonly FoundMemory[] {
  let left = most
  return memories.filter(({ data }, place) => {
    left -= Buffer.byteLength(JSON.stringify(data))
    return left >= 0 || place === 0
  })
}

interface Room {
  readonly maxRows: number
  readonly maxBytes: number
}

function added(database: Database, item: MemoryItem, { maxRows, maxBytes }: Room): void {
  checkOptions('memory.add', item, itemShape)
  const { userId, kind, data, key, at, session = null } = item
  const json = JSON.stringify(data)
  const bytes = json === undefined ? 0 : Buffer.byteLength(json)
  if (json === undefined || bytes > maxBytes) {
    const what = json === undefined ? 'is not JSON' : `has ${bytes} bytes`
    throw new UsageError(
      'bad_option',
      `The data of memory "${key}" ${what}. Expected JSON of at most ${maxBytes} bytes.`,
    )
  }
  const owner = ownerOf(userId)
  inTransaction(database, () => {
    const old = database.prepare('SELECT number FROM memories WHERE owner = ? AND key = ?').get(owner, key)
    if (old !== undefined) remove(database, owner, Number(old['number']))
    const insert = 'INSERT INTO memories (owner, kind, data, key, at, session) VALUES (?, ?, ?, ?, ?, ?)'
    const { lastInsertRowid } = database.prepare(insert).run(owner, kind, json, key, at, session)
    const index = 'INSERT INTO memory_text (rowid, owner, text) VALUES (?, ?, ?)'
    database.prepare(index).run(lastInsertRowid, owner, textIn(data))
    const count = Number(database.prepare(counted).get(owner)?.['count'])
    for (const row of oldest(database, owner, Math.min(count - maxRows, mostRemoved))) remove(database, owner, row)
  })
}

/** Rows that one addition removes if a memory was opened with less room than before; the next ones remove the rest. */
const mostRemoved = 100

const counted = `
  INSERT INTO owners (owner, count) VALUES (?, 1) ON CONFLICT (owner) DO UPDATE SET count = count + 1 RETURNING count`

function oldest(database: Database, owner: string, count: number): readonly number[] {
  if (count <= 0) return []
  const rows = database
    .prepare('SELECT number FROM memories WHERE owner = ? ORDER BY at, number LIMIT ?')
    .all(owner, count)
  return rows.map((row) => Number(row['number']))
}
