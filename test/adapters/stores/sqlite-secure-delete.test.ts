import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from './temporary-folder.ts'

test.each([
  [true, []],
  [false, ['deleted words', 'rejected words']],
])('CKP-04 SQLite: with secureDelete %j the closed file contains deleted data: %j', async (secureDelete, left) => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path, { secureDelete })
  const rejecting = { name: 'polite', filterInput: () => ({ reject: 'No.' }) }
  const model = scripted(() => 'Done')
  // Long and short, so that pages of their own and parts of shared ones are looked at.
  for (const length of [1, 2_000]) {
    const told = createAgent({ name: 'a', model, store }).start('deleted words '.repeat(length), {
      runId: `deleted-${length}`,
    })
    await told.settled()
    await store.delete(`deleted-${length}`)
    const agent = createAgent({ name: 'b', model, store, plugins: [rejecting] })
    const refused = agent.start('rejected words '.repeat(length), { runId: `rejected-${length}` })
    expect((await refused.settled()).status).toBe('done')
  }
  await store.close()
  expect(existsSync(`${path}-wal`)).toBe(false)
  const bytes = readFileSync(path)
  expect(['deleted words', 'rejected words'].filter((words) => bytes.includes(words))).toEqual(left)
})
