import { expect, test } from 'vitest'
import { currentOwner } from '../../../src/core/domain/owner.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import {
  checkpoint,
  createDriver,
  message,
  says,
  slot,
  suspendedCall,
} from '../../../src/testing/stores/store-suite-fixtures.ts'
import { startChild } from './child.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { userMessage } from '../../../src/core/domain/message.ts'

test('CKP-06 SQLite: a run is the same after closing and opening the file', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const before = sqliteStore(path)
  const driver = await createDriver(before, 'run')
  await driver.commit({
    entries: [says('hello'), slot((seq) => suspendedCall(seq, 'suspension')), checkpoint('{"n":1}')],
  })
  await driver.commit({ status: 'waiting', timers: [{ key: 'expiry', due: 5 }] })
  await before.decide('run', [{ target: 'call-2', action: 'cancel' }], 1)
  const stored = [
    await before.read('run'),
    await before.inbox('run', { isOpen: true }),
    await before.due(5),
    await before.list(),
  ]
  await before.close()

  const after = sqliteStore(path)
  expect([
    await after.read('run'),
    await after.inbox('run', { isOpen: true }),
    await after.due(5),
    await after.list(),
  ]).toEqual(stored)
  await after.close()
})

test.for([1, 17, 120])(
  'CKP-06 CKP-05 SQLite: every acknowledged commit survives a SIGKILL, and the run can be taken over (%i commits)',
  async (count) => {
    using folder = temporaryFolder()
    const path = folder.file('runs.db')
    const child = startChild('commit-forever', path, 'run')
    let acknowledged = 0
    while (acknowledged < count) acknowledged = Number(await child.line())
    await child.kill()

    const store = sqliteStore(path)
    const { record, log } = await store.read('run')
    expect(record.version).toBeGreaterThanOrEqual(acknowledged)
    const versions = Array.from({ length: record.version }, (_, index) => index + 1)
    expect(log.map((entry) => entry.kind === 'message' && entry.message)).toEqual(
      versions.map((version) => message(`message of version ${version}`)),
    )
    const checkpoints = await store.checkpoints('run')
    expect(checkpoints.map(({ version }) => version)).toEqual(versions.filter((version) => version % 3 !== 1))
    expect((await store.claim('run', currentOwner('parent'), 1000)).lease?.fence).toBe(2)
    await store.close()
  },
)

test('CKP-05 SQLite: takes the lease of a killed process at once, and never of a living one', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  await using child = startChild('hold-lease', path, 'run')
  expect(await child.line()).toBe('held')
  const store = sqliteStore(path)
  const claim = () => store.claim('run', currentOwner('parent'), 1000)
  await expect(claim()).rejects.toMatchObject({
    code: 'run_is_driven',
    message: expect.stringContaining(`process ${child.pid} on host`),
  })
  await child.kill()
  expect(await claim()).toMatchObject({ lease: { fence: 2, owner: { id: 'parent' } } })
  await store.close()
})

test('CKP-05 SQLite: only the lease holder of two stores on one file commits', async () => {
  using folder = temporaryFolder()
  const [mine, theirs] = [sqliteStore(folder.file('runs.db')), sqliteStore(folder.file('runs.db'))]
  const driver = await createDriver(mine, 'run')
  await driver.commit({ entries: [says('one')] })
  const plan = driver.plan({ entries: [says('two')] })
  await expect(theirs.commit({ ...plan, fence: 2 })).rejects.toMatchObject({ code: 'fence_conflict' })
  await expect(theirs.commit({ ...plan, expectedVersion: 0 })).rejects.toMatchObject({ code: 'version_conflict' })
  expect(await theirs.commit(plan)).toEqual({ version: 2 })
  await expect(mine.commit(plan)).rejects.toMatchObject({ code: 'version_conflict' })
  await mine.close()
  await theirs.close()
})

test('DEC-06 DEC-07 SQLite: answers applied once if two processes decide one suspension at once', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path)
  const seqs = Array.from({ length: 30 }, (_, index) => index + 1)
  const driver = await createDriver(store, 'run')
  await driver.commit({ entries: seqs.map(() => slot((seq) => suspendedCall(seq, `suspension-${seq}`))) })
  await using yes = startChild('decide-on-go', path, 'run', 'yes')
  await using no = startChild('decide-on-go', path, 'run', 'no')
  await using alsoNo = startChild('decide-on-go', path, 'run', 'no')
  const children = [yes, no, alsoNo]
  for (const child of children) expect(await child.line()).toBe('ready')
  for (const seq of seqs) {
    for (const child of children) child.tell(`call-${seq}`)
    const answers = await Promise.all(children.map((child) => child.line()))
    expect([
      ['applied', 'stale', 'stale'],
      ['applied', 'duplicate', 'stale'],
    ]).toContainEqual(answers.toSorted())
  }
  const rows = await store.inbox('run', { kinds: ['decision'] })
  expect(rows.map(({ item }) => item.kind === 'decision' && item.decision.suspensionId)).toEqual(
    seqs.map((seq) => `suspension-${seq}`),
  )
  await store.close()
})

test("DEC-07 SQLite: notifies a watcher of another process's posts to its run", async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const store = sqliteStore(path, { pollMs: 5 })
  await createDriver(store, 'run')
  await createDriver(store, 'other')
  let otherWasTold = false
  store.watch('other', () => {
    otherWasTold = true
  })
  const told = new Promise<void>((resolve) => store.watch('run', resolve))
  await using child = startChild('post', path, 'run', 'from elsewhere')
  await told
  expect((await store.inbox('run', { isOpen: true })).map(({ item }) => item)).toEqual([
    { kind: 'steer', messages: [userMessage('from elsewhere', 1)] },
  ])
  expect(otherWasTold).toBe(false)
  expect(await child.ended()).toEqual({ code: 0, complaint: '' })
  await store.close()
})

test('CKP-06 SQLite: processes that open a new file at once all get a store, and watching it keeps no process alive', async () => {
  using folder = temporaryFolder()
  const path = folder.file('runs.db')
  const ids = ['a', 'b', 'c', 'd']
  const children = ids.map((id) => startChild('create-run', path, id))
  const ends = await Promise.all(children.map((child) => child.ended()))
  expect(ends).toEqual(ids.map(() => ({ code: 0, complaint: '' })))
  const store = sqliteStore(path)
  expect((await store.list()).map(({ id }) => id).toSorted()).toEqual(ids)
  await store.close()
})
