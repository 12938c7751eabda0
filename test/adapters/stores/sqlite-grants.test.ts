import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runWith, suspendedCall, start } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { listAudit } from '../../../src/core/driving/list-grants.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('PERM-05 SQLite: one of two processes that use one approval for once at the same time gets it', async () => {
  using place = temporaryFolder()
  const path = place.file('runs.db')
  const store = sqliteStore(path)
  await runWith(store, [suspendedCall(1, 'sus-1')])
  const call = { runId: 'run', callId: 'call-1', toolName: 'weather' }
  const grant = { ...call, id: 'g', grantee: 'user:ann', scope: 'once', says: 'allow', definition: 'd' } as const
  const entry = { ...call, action: 'approved' } as const
  await store.decide('run', [{ target: 'sus-1', action: 'resume' }], start, [
    { entry, grant: { ...grant, callHash: 'h' } },
  ])
  const users = ['left', 'right'].map((runId) =>
    fork(join(import.meta.dirname, 'processes', 'use-grant.ts'), [path, runId]),
  )
  await Promise.all(users.map((user) => once(user, 'message')))
  for (const user of users) user.send('go')
  const answers = await Promise.all(users.map(async (user) => (await once(user, 'message'))[0] as unknown))
  expect([answers.includes(true), answers.includes(false)]).toEqual([true, true])
  expect((await listAudit(store)).map(({ action }) => action)).toEqual(['used', 'approved'])
  await store.close()
})
