import type { DatabaseSync as Database } from 'node:sqlite'
import { indexedWords, textIn } from '../memory-words.ts'
import { prepared } from './prepared.ts'

const read = 'SELECT owner, data, at, session FROM memories WHERE number = ?'

const before = `
  SELECT data FROM memories WHERE owner = ? AND session = ? AND (at, number) < (?, ?)
  ORDER BY at DESC, number DESC LIMIT 1`

const after = `
  SELECT later.number FROM memories AS row JOIN memories AS later
    ON later.owner = row.owner AND later.session = row.session AND (later.at, later.number) > (row.at, row.number)
  WHERE row.number = ? ORDER BY later.at, later.number LIMIT 1`

/** Indexes the words of a memory, with those of the previous memory in its session as its context. */
export function indexRow(database: Database, row: number): void {
  const { owner = null, data, at = null, session = null } = prepared(database, read).get(row) ?? {}
  const earlier = session === null ? undefined : prepared(database, before).get(owner, session, at, row)
  prepared(database, 'DELETE FROM memory_text WHERE rowid = ?').run(row)
  const insert = 'INSERT INTO memory_text (rowid, owner, text, context) VALUES (?, ?, ?, ?)'
  prepared(database, insert).run(row, owner, wordsOf(data), wordsOf(earlier?.['data']))
}

/** Returns the number of the next memory in a memory's session. */
export function rowAfter(database: Database, row: number): number | undefined {
  const found = prepared(database, after).get(row)
  return found === undefined ? undefined : Number(found['number'])
}

function wordsOf(json: unknown): string {
  return typeof json === 'string' ? indexedWords(textIn(JSON.parse(json))).join(' ') : ''
}
