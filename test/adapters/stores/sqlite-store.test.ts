import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { storeSuite } from '../../../src/testing/stores/store-suite.ts'
import { deadOwner } from '../../../proof/support/dead-owner.ts'

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
