import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Has this Node refuse values by place for numbered parameters, as Node 22.16 does. */
function refuseNumbers(): void {
  const { prepare } = DatabaseSync.prototype
  vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function refusing(this: DatabaseSync, text: string) {
    const statement = prepare.call(this, text)
    if (!/\?\d/.test(text)) return statement
    for (const method of ['run', 'get', 'all'] as const) {
      const bind = statement[method].bind(statement) as (...values: unknown[]) => never
      statement[method] = (...values: unknown[]) => {
        if (typeof values[0] !== 'object') throw new Error('column index out of range')
        return bind(...values)
      }
    }
    return statement
  })
}

test('CKP-06 SQLite: a run is stored and read by a Node that binds numbered parameters by name alone', async () => {
  refuseNumbers()
  using folder = temporaryFolder()
  const store = sqliteStore(folder.file('runs.db'))
  const { agent } = testAgent({ store, replies: ['Done.'] })
  const run = agent.start('Go')
  expect(await run.settled()).toMatchObject({ text: 'Done.' })
  const types: string[] = []
  for await (const { type } of run.events({ deltas: false })) types.push(type)
  expect(types.at(-1)).toBe('run.ended')
  await store.close()
})
