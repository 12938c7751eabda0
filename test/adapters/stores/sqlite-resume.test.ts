import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolNamed } from '../../../proof/support/tools.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { transactionsOf } from './transactions.ts'

const sign = toolNamed('sign', () => 'signed', { effects: 'none', needs: 'approval' })
const replies = [calls(call('a', 'sign')), 'Done.']

test('CKP-04 SQLite: a run that waits and resumes makes only these write transactions', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path, { synchronous: 'normal' })
  const reader = new DatabaseSync(path)
  reader.exec('BEGIN; SELECT count(*) FROM runs')
  const made = async (work: () => Promise<unknown>) => {
    const before = transactionsOf(`${path}-wal`)
    await work()
    return transactionsOf(`${path}-wal`) - before
  }
  const first = testAgent({ store, replies, tools: [sign] })
  // Created; the user's message; the answer with its call, the wait and the lease given back.
  expect(await made(() => first.agent.run('Hi', { runId }))).toBe(3)
  const second = testAgent({
    store: sqliteStore(path, { synchronous: 'normal' }),
    replies,
    tools: [sign],
    process: 'p2',
  })
  const run = await second.agent.load(runId)
  expect(await made(() => run.approve())).toBe(1)
  // Claimed; the replay, its call, its result; the answer, the end and the lease given back.
  expect(await made(() => run.settled())).toBe(5)
  expect(await made(() => run.result())).toBe(0)
  reader.close()
  await store.close()
  await second.store.close()
})
