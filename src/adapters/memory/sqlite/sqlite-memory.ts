import { checkOptions } from '../../../core/domain/text/option-shape.ts'
import { UsageError } from '../../../core/domain/text/usage-error.ts'
import type { Memory } from '../../../core/ports/memory.ts'
import { memoryOnRows } from '../memory-on-rows.ts'
import { type MemoryOptions, memoryShape } from '../memory-options.ts'
import { openMemory } from './open-memory.ts'
import { sqliteRows } from './sqlite-rows.ts'

/** Options of a memory: its size, the size of its answers, and its way of searching. */
export type SqliteMemoryOptions = MemoryOptions

/** A memory in its own file, which many processes may use. */
export interface SqliteMemory extends Memory {
  /** Closes the file. */
  close(): void
}

/**
 * Stores memories in a SQLite file. It finds them by full-text search in their words and, with less weight, in those of
 * the previous memory in their session; with `embed`, also by meaning. A file whose words are indexed for another
 * language is indexed again. Throws a `MemoryError` for a file that is not a memory.
 *
 * @example
 * const memory = sqliteMemory('memory.db')
 */
export function sqliteMemory(path: string, given: SqliteMemoryOptions = {}): SqliteMemory {
  checkOptions('sqliteMemory', given, memoryShape)
  if (typeof path !== 'string' || path === '') {
    throw new UsageError('bad_option', 'sqliteMemory was given no path. Expected the path of a file, or ":memory:".')
  }
  const database = openMemory(path, given.language ?? 'english')
  return { ...memoryOnRows(sqliteRows(database), given, `"${path}"`), close: () => database.close() }
}
