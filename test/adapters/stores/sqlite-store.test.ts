import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { storeSuite } from '../../../src/testing/stores/store-suite.ts'
import { deadOwner } from '../../../proof/support/dead-owner.ts'
import { largeFile, noteStatements, scansIn } from './sqlite-statements.ts'

const statements = noteStatements()

const suite = storeSuite(async (clock) => {
  const folder = mkdtempSync(join(tmpdir(), 'store-'))
  const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal', clock })
  const dispose = async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  }
  return { store, deadOwner, dispose }
})

for (const { name, run } of suite) test(`CKP-06 SQLite: ${name}`, () => expect(run()).resolves.toBeUndefined())

/** Statements that list everything, a page at a time in the order of the table or of an index. */
const lists = [
  'SCAN record_audit',
  'SCAN record_grant',
  'SCAN record_outgoing',
  'SCAN record_session USING INDEX record_session_active',
  // The earliest timer of any agent.
  'SCAN timers USING COVERING INDEX timers_by_due',
  // Rows that wait for a driver: answers that were not taken in, and runs that were put off.
  'SCAN inbox USING INDEX inbox_changing',
  'SCAN runs USING INDEX runs_postponed',
]

test.for([false, true])('SCALE-01 SQLite: no statement of the suite scans a table, analysed: %s', (isAnalysed) => {
  const explained = [...statements].filter((text) => /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)/.test(text))
  expect(explained.length).toBeGreaterThan(100)
  using large = largeFile(isAnalysed)
  const scans = explained.map((text) => ({ text, scans: scansIn(large.database, text) }))
  expect(scans.filter((one) => one.scans.some((scan) => !lists.includes(scan)))).toEqual([])
})
