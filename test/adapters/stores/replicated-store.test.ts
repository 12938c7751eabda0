import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { judgeEntry, noHead } from '../../../src/adapters/stores/replicated/journal.ts'
import { replicatedStore } from '../../../src/adapters/stores/replicated/replicated-store.ts'
import { Replica } from '../../../src/adapters/stores/replicated/replica.ts'
import { createDriver, newRun, ownerNamed, says, steering } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { storeSuite } from '../../../src/testing/stores/store-suite.ts'
import { workerSuite } from '../../../src/testing/workers/worker-suite.ts'
import { deadOwner } from '../../../proof/support/dead-owner.ts'
import { memoryJournal } from '../../../proof/support/memory-journal.ts'
import { isWhole } from '../../../proof/support/sampled.ts'

const open = async (clock: Parameters<typeof replicatedStore>[1] = Date) => {
  const { store } = replicatedStore(memoryJournal(), clock)
  return { store, deadOwner, dispose: () => store.close() }
}

/** Cases of hundreds of related runs. The gate plays them on the other stores, two of which run the same statements. */
const longCases = [
  'gives each run what it goes on from and what it wrote, whatever other runs write and lose',
  'leaves no run another log, in whatever order related runs are deleted',
]
const suite = storeSuite(open)

test('SCALE-02 CKP-06 the suite has the long cases by these names', () => {
  expect(suite.filter(({ name }) => longCases.includes(name))).toHaveLength(longCases.length)
})

const played = suite.filter(({ name }) => isWhole || !longCases.includes(name))

for (const { name, run } of [...played, ...workerSuite(open)])
  test(`SCALE-02 CKP-06 journal: ${name}`, () => expect(run()).resolves.toBeUndefined())

/** Two stores over one journal, as two processes have them. */
function two() {
  const journal = memoryJournal()
  const [here, there] = [replicatedStore(journal, Date), replicatedStore(journal, Date)]
  return { journal, here: here.store, there: there.store }
}

test('SCALE-02 CKP-06 two processes that write at once lose nothing, and each run is created once', async () => {
  const { here, there } = two()
  const ids = Array.from({ length: 20 }, (_, place) => `run-${place}`)
  const made = await Promise.allSettled(
    [here, there].flatMap((store, place) =>
      ids.map((id) => store.create(newRun(id), ownerNamed(`owner-${place}`), 1000)),
    ),
  )
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
  expect(made.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []))).toEqual(
    ids.map(() => 'run_exists'),
  )
  for (const store of [here, there]) expect(await store.list()).toHaveLength(20)
})

test('SCALE-02 CKP-06 folds a long journal, and a new process can read it', async () => {
  const { journal, here, there } = two()
  const driver = await createDriver(here, 'long')
  const text = Array.from({ length: 4000 }, (_, place) => `${place * 7919}`).join(' ')
  for (let turn = 0; turn < 40; turn++) await driver.commit({ entries: [says(`${turn} ${text}`)] })
  expect([...journal.texts.keys()].filter((key) => key.startsWith('fold/')).length).toBeGreaterThan(0)
  expect(journal.texts.size).toBeLessThan(40)
  expect(await there.read('long')).toEqual(await here.read('long'))
  await there.post('long', { kind: 'cancel', reason: 'Enough.' }, 1)
  expect(await here.inbox('long')).toHaveLength(1)
})

test('SCALE-02 CKP-06 does not repeat a change whose answer was lost', async () => {
  const journal = memoryJournal()
  const { store } = replicatedStore(
    {
      ...journal,
      async append(entry) {
        await journal.append(entry)
        // Somebody else is next before the answer is asked for again.
        await replicatedStore(journal, Date).store.create(newRun(`other-${entry.expect}`), ownerNamed('other'), 1000)
        return journal.append(entry)
      },
    },
    Date,
  )
  await store.create(newRun('run'), ownerNamed('owner'), 1000)
  expect((await store.list()).length).toBe(2)
})

test('SCALE-02 CKP-06 distinguishes a journal that lacks a text from an empty one', async () => {
  const { journal, here, there } = two()
  await here.create(newRun('run'), ownerNamed('owner'), 1000)
  journal.texts.clear()
  await expect(there.read('run')).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('SCALE-02 sets an alarm for the earliest work once, and again if the process that it woke is gone', () => {
  const wake = (at: number) => ({ at, inMs: 0 })
  const first = judgeEntry(noHead, { expect: '', wake: wake(100) })
  expect([first.head.alarm, first.wake]).toEqual([100, wake(100)])
  expect(judgeEntry(first.head, { expect: '', wake: wake(200) }).wake).toBeUndefined()
  expect(judgeEntry(first.head, { expect: '', wake: wake(50) }).wake).toEqual(wake(50))
  expect(judgeEntry(first.head, { expect: '', wake: wake(200), woken: 100 }).head.alarm).toBe(200)
  expect(judgeEntry(first.head, { expect: '', woken: 100 }).head.alarm).toBeUndefined()
  expect(judgeEntry(first.head, { expect: 'other', woken: 100 }).head).toEqual(first.head)
  expect(judgeEntry(first.head, { expect: '', wake: wake(3_600_000) }).wake).toEqual(wake(3_600_000))
})

test('SCALE-02 CKP-06 each table has a primary key, which its change records need', async () => {
  const replica = new Replica()
  replica.begin()
  replica.storage.sql.exec('CREATE TABLE keyless (value TEXT)')
  replica.storage.sql.exec("INSERT INTO keyless VALUES ('lost')")
  expect(replica.changed()?.rows.length).toBe(0)
  replica.undo()
  const journal = memoryJournal()
  await replicatedStore(journal, Date).store.create(newRun('run'), ownerNamed('owner'), 1000)
  const made = JSON.parse(journal.texts.get('change/1') ?? '{}') as { readonly statements: readonly string[] }
  for (const statement of made.statements) replica.apply({ statements: [statement], rows: new Uint8Array() })
  const tables = replica.storage.sql
    .exec("SELECT name FROM sqlite_schema AS made WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .toArray()
  const keyless = tables.filter(
    ({ name }) =>
      replica.storage.sql.exec(`SELECT 1 FROM pragma_table_info('${String(name)}') WHERE pk > 0`).toArray().length ===
      0,
  )
  expect([tables.length > 5, keyless]).toEqual([true, []])
})

test('SCALE-02 CKP-06 does not repeat two calls in one entry whose answer is lost', async () => {
  const journal = memoryJournal()
  const { store: other } = replicatedStore(journal, Date)
  await other.create(newRun('run'), ownerNamed('owner'), 1000)
  let isLost = true
  const { store } = replicatedStore(
    {
      ...journal,
      async append(entry) {
        const head = await journal.append(entry)
        if (!isLost) return head
        isLost = false
        throw new Error('no answer')
      },
    },
    Date,
  )
  await store.read('run')
  await Promise.allSettled(['One.', 'Two.'].map((text) => store.post('run', steering(text), 1)))
  expect(await other.inbox('run')).toHaveLength(2)
})

test('SCALE-02 CKP-06 does not repeat a change whose answer was lost, even if it was folded meanwhile', async () => {
  const journal = memoryJournal()
  const { store: other } = replicatedStore(journal, Date)
  const driver = await createDriver(other, 'long')
  let isLost = false
  const { store } = replicatedStore(
    {
      ...journal,
      async append(entry) {
        const head = await journal.append(entry)
        if (!isLost) return head
        isLost = false
        for (let turn = 0; turn < 8; turn++) await driver.commit({ entries: [says(long(turn))] })
        return { ...(await journal.append(entry)), isRepeated: true }
      },
    },
    Date,
  )
  await store.read('long')
  isLost = true
  await store.post('long', steering('Once.'), 1).catch(() => undefined)
  expect([...journal.texts.keys()].some((key) => key.startsWith('fold/'))).toBe(true)
  expect(await other.inbox('long')).toHaveLength(1)
})

function long(turn: number): string {
  return `${turn} ${Array.from({ length: 9000 }, (_, place) => `${(place + turn) * 7919}`).join(' ')}`
}

test('SCALE-02 a read of the head after a doubt is no older than the doubt', async () => {
  const journal = memoryJournal()
  const { store: other } = replicatedStore(journal, Date)
  let held: Promise<void> | undefined
  const kept = replicatedStore(
    {
      ...journal,
      async read(known) {
        const behind = await journal.read(known)
        await held
        return behind
      },
    },
    Date,
    60_000,
  )
  const hold = Promise.withResolvers<void>()
  held = hold.promise
  const reading = kept.store.list()
  await new Promise((resolve) => setTimeout(resolve, 20))
  await other.create(newRun('run'), ownerNamed('owner'), 1000)
  const head = kept.head()
  held = undefined
  hold.resolve()
  await reading
  expect((await head).alarm).toBeGreaterThan(0)
})

test('SCALE-02 CKP-06 content that is longer than one text may be stays readable', async () => {
  const journal = memoryJournal()
  const { store } = replicatedStore(journal, Date)
  const driver = await createDriver(store, 'long')
  for (let turn = 0; turn < 10; turn++) await driver.commit({ entries: [says(`${turn} ${'long '.repeat(1_400_000)}`)] })
  for (let turn = 0; turn < 8; turn++) await driver.commit({ entries: [says(long(turn))] })
  const { store: other } = replicatedStore(journal, Date)
  expect((await other.record('long')).id).toBe('long')
}, 60_000)

test('SCALE-02 sets alarms in whole milliseconds, as engines count them, even far in the future', async () => {
  const journal = memoryJournal()
  const { store } = replicatedStore(journal, { now: () => 1000.25 })
  await store.create({ ...newRun('soon'), notBefore: 5000.5 }, ownerNamed('owner'), 1000)
  expect(journal.wakes.map(({ inMs }) => inMs)).toEqual([4001])
})

/** Text that does not become shorter when it is compressed, but for the quarter that base64 adds. */
function noise(bytes: number): string {
  return randomBytes(bytes).toString('base64')
}

test('SCALE-02 CKP-06 an entry is at most as long as its engine takes one, and a fold waits for an entry with room', async () => {
  const mostLength = 300_000
  const journal = memoryJournal(3, mostLength)
  const lengths: number[] = []
  const { store } = replicatedStore(
    {
      ...journal,
      append(entry) {
        lengths.push([entry.change ?? '', ...(entry.fold ?? [])].join('').length)
        return journal.append(entry)
      },
    },
    Date,
  )
  const driver = await createDriver(store, 'long')
  const isFolded = () => [...journal.texts.keys()].some((key) => key.startsWith('fold/'))
  for (const bytes of [90_000, 150_000]) await driver.commit({ document: JSON.stringify(noise(bytes)) })
  expect(isFolded()).toBe(false)
  const refused = { code: 'store_unavailable', message: expect.stringContaining('Keep large results elsewhere') }
  await expect(driver.commit({ entries: [says(noise(400_000))] })).rejects.toMatchObject(refused)
  await driver.commit({ entries: [says('short')] })
  expect(isFolded()).toBe(true)
  expect(Math.max(...lengths)).toBeLessThan(mostLength)
  const { store: other } = replicatedStore(journal, Date)
  expect((await other.read('long')).log).toHaveLength(1)
})

test('SCALE-02 CKP-06 changes longer than the limit of a fold are folded, if the result is shorter', async () => {
  const journal = memoryJournal(3, 200_000)
  const { store } = replicatedStore({ ...journal, append: ({ fold: _, ...entry }) => journal.append(entry) }, Date)
  const driver = await createDriver(store, 'long')
  for (let turn = 0; turn < 6; turn++)
    await driver.commit({ entries: [says('short')], document: JSON.stringify(noise(40_000)) })
  await store.close()
  const { store: other } = replicatedStore(journal, Date)
  await other.release(driver.lease)
  expect([...journal.texts.keys()].some((key) => key.startsWith('fold/'))).toBe(true)
})

test('SCALE-02 what only reads makes no fold, even if one is due', async () => {
  const { journal, here } = two()
  const driver = await createDriver(here, 'long')
  await driver.commit({ entries: [says(noise(60_000))] })
  const folds = vi.spyOn(Replica.prototype, 'fold')
  onTestFinished(() => folds.mockRestore())
  for (let reads = 0; reads < 3; reads++) await here.read('long')
  expect(folds).not.toHaveBeenCalled()
  await driver.commit({ entries: [says('short')] })
  expect([folds.mock.calls.length, journal.texts.has('change/3')]).toEqual([1, true])
  expect([...journal.texts.keys()].filter((key) => key.startsWith('fold/'))).toHaveLength(1)
})
