import type { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/adapters/stores/sqlite/open.ts'
import { selectDue } from '../../../src/adapters/stores/sqlite/outbox.ts'
import { selectSuspended } from '../../../src/adapters/stores/sqlite/suspended.ts'
import { temporaryFolder } from './temporary-folder.ts'

const counted = 'WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 5000)'
const filling = [
  `INSERT INTO runs (number, id, agent, status, created_at, updated_at, version, fence, lease_expires)
   SELECT n, 'run-' || n, 'guide', 'waiting', n, n, 1, 1, 0 FROM counted`,
  `INSERT INTO log (id, version, kind, body) SELECT n * 16777216 + 1, 1, 'call', '{}' FROM counted`,
  `INSERT INTO outgoing (number, run_id, id, kind, destination, body, at, sent)
   SELECT n, 'run-1', 'item-' || n, 'event', 'there', '{}', n, n FROM counted`,
]

/** A store's file with many rows, with or without statistics about them. */
function fullFile(isAnalysed: boolean): DatabaseSync {
  const folder = temporaryFolder()
  const database = openDatabase(folder.file('runs.db'), { synchronous: 'normal' })
  onTestFinished(() => {
    database.close()
    folder[Symbol.dispose]()
  })
  for (const statement of filling) database.exec(statement.replace('SELECT', `${counted} SELECT`))
  if (isAnalysed) database.exec('ANALYZE')
  return database
}

/** Rows that one look may read all of: the page that was asked for, the pending part of an index, and lists in arguments. */
const bounded = /^SCAN (?:json_each|runs USING (?:COVERING )?INDEX runs_(?:open|by_age)|runs$)/

const statements = {
  'what waits': selectSuspended({}),
  'what is due to leave': selectDue,
}

test.for(
  Object.entries(statements).flatMap(([name, text]) => [false, true].map((isAnalysed) => ({ name, text, isAnalysed }))),
)('SCALE-01 SQLite: finds $name without a scan, analysed: $isAnalysed', ({ text, isAnalysed }) => {
  const plan = fullFile(isAnalysed).prepare(`EXPLAIN QUERY PLAN ${text}`).all()
  const lines = plan.map(({ detail }) => String(detail))
  expect(
    lines.filter((line) => (line.startsWith('SCAN') && !bounded.test(line)) || line.includes('AUTOMATIC')),
  ).toEqual([])
})

test('SCALE-01 SQLite: looks behind pending items alone for an earlier one of the same run', () => {
  const lines = fullFile(true).prepare(`EXPLAIN QUERY PLAN ${selectDue}`).all()
  expect(lines.map(({ detail }) => String(detail))).toContainEqual(
    expect.stringMatching(/SEARCH earlier USING (COVERING )?INDEX outgoing_in_order/),
  )
})
