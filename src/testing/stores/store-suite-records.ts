import assert from 'node:assert/strict'
import { type Account, accountKind, type Amount, chargeKind, noAmount, openAccount } from '../../core/domain/account.ts'
import { reserve, settle } from '../../core/domain/charge-account.ts'
import { drop, type RecordChange } from '../../core/domain/records/record-change.ts'
import { rowOf, rowsOf, runOf } from '../../core/domain/records/record-read.ts'
import type { Store } from '../../core/ports/store.ts'
import { memoryStore } from '../../core/stores/memory/memory-store.ts'
import { createDriver, ownerNamed, start, type StoreCase } from './store-suite-fixtures.ts'

/** Cases of records. Records of every kind use the same code, so the cases use the kinds of an account. */
export const recordCases: readonly StoreCase[] = [
  [
    'reserves and settles each charge of an account once, however often it is asked',
    async ({ store }) => {
      assert.equal(await store.change(reserving('early', 1)), 'unknown')
      const opened = accountWith(100)
      assert.deepEqual(await store.change(opening(100)), opened)
      assert.deepEqual(await store.change(opening(7)), opened)
      assert.equal(await store.change(reserving("it's\u0000 one", 60)), 'reserved')
      assert.equal(await store.change(reserving("it's\u0000 one", 60)), 'reserved')
      assert.equal(await store.change(reserving('two', 41)), 'max_tokens')
      assert.deepEqual(await accountOf(store), { version: 2, body: accountWith(100, 0, 60) })
      assert.equal(await store.change(settling("it's\u0000 one", 75)), true)
      assert.equal(await store.change(settling("it's\u0000 one", 75)), true)
      assert.equal(await store.change(settling('two', 1)), false)
      assert.deepEqual(await accountOf(store), { version: 3, body: accountWith(100, 75) })
    },
  ],
  [
    'reads the records of an index from the newest on, in pages',
    async ({ store }) => {
      await store.change(opening(100))
      await store.change(openAccount('others', { tokens: 100 }))
      for (const name of ['one', 'two', 'three']) {
        await store.change(reserving(name, 1))
        await store.change(reserve('others', name, { attempt: 'first', ...tokens(9) }))
      }
      await store.change(settling('one', 5))
      const first = await chargesOf(store, 2)
      const charge = { run: 'family', attempt: 'first', settled: noAmount, unknown: noAmount }
      const held = { ...charge, held: tokens(1) }
      assert.deepEqual(
        first.map(({ body, version }) => ({ body, version })),
        [
          { body: held, version: 1 },
          { body: held, version: 1 },
        ],
      )
      const last = await chargesOf(store, 2, first.at(-1)?.number)
      assert.deepEqual(
        last.map(({ key, body, version }) => ({ key, body, version })),
        [{ key: '["family","one"]', body: { ...charge, settled: tokens(5) }, version: 2 }],
      )
    },
  ],
  [
    'writes nothing of a change whose record cannot be stored',
    async ({ store }) => {
      await store.change(opening(100))
      const bad: RecordChange<void> = {
        reads: [rowOf(accountKind, 'family')],
        judge: () => ({
          answer: undefined,
          writes: [
            drop(accountKind, 'family'),
            { table: chargeKind, key: 'bad', put: { body: undefined, fields: { run: 'family' } } },
          ],
        }),
      }
      await assert.rejects(store.change(bad), TypeError)
      assert.deepEqual(await accountOf(store), { version: 1, body: accountWith(100) })
    },
  ],
  [
    'makes the changes of a commit in their order with it, or none of them',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ records: [opening(10), reserving('one', 4)] })
      assert.deepEqual(await accountOf(store), { version: 2, body: accountWith(10, 0, 4) })
      const tooMuch = [settling('one', 5), reserving('two', 5), reserving('three', 1)]
      const refused = { refused: 'record', answers: [true, 'reserved', 'max_tokens'] }
      assert.deepEqual(await driver.commit({ status: 'waiting', records: tooMuch }), refused)
      assert.deepEqual(await accountOf(store), { version: 2, body: accountWith(10, 0, 4) })
      assert.deepEqual((await store.record('run')).status, 'running')
      await store.post('run', { kind: 'cancel' }, start)
      const records = [settling('one', 5)]
      assert.deepEqual(await driver.commit({ status: 'waiting', records }), { refused: 'inbox' })
      await assert.rejects(store.commit({ ...driver.plan({ records }), fence: 9 }))
      assert.deepEqual(await accountOf(store), { version: 2, body: accountWith(10, 0, 4) })
      await driver.commit({ records })
      assert.deepEqual(await accountOf(store), { version: 3, body: accountWith(10, 5) })
    },
  ],
  [
    'begins the versions of a key anew when its record was dropped',
    async ({ store }) => {
      await store.change(opening(1))
      await store.change(reserving('one', 1))
      await store.change({ reads: [], judge: () => ({ answer: true, writes: [drop(accountKind, 'family')] }) })
      assert.equal(await accountOf(store), undefined)
      await store.change(opening(2))
      assert.deepEqual(await accountOf(store), { version: 1, body: accountWith(2) })
    },
  ],
  [
    'never exceeds the cap of an account whose charges come at once',
    async ({ store }) => {
      await Promise.all([1, 2, 3].map(() => store.change(opening(10))))
      const names = Array.from({ length: 16 }, (_, index) => `charge-${index}`)
      const answers = await Promise.all(names.map((name) => store.change(reserving(name, 1))))
      assert.equal(answers.filter((answer) => answer === 'reserved').length, 10)
      await Promise.all(names.map((name) => store.change(settling(name, 2))))
      const charges = await chargesOf(store, 100)
      const spent = charges.reduce((sum, { body }) => sum + body.settled.tokens, 0)
      assert.deepEqual((await accountOf(store))?.body, accountWith(10, spent))
    },
  ],
  [
    'tells how a run stands, at the moment of the records',
    async ({ store }) => {
      const { lease } = await createDriver(store, 'run')
      const standing = async () => (await store.records([runOf('run'), rowOf(accountKind, 'none')])).run('run')
      assert.deepEqual(await standing(), { status: 'running', fence: lease.fence, isHeld: true })
      await store.release(lease)
      assert.deepEqual(await standing(), { status: 'running', fence: lease.fence, isHeld: false })
      await store.claim('run', ownerNamed('second'), 1000)
      assert.deepEqual(await standing(), { status: 'running', fence: lease.fence + 1, isHeld: true })
      assert.equal((await store.records([runOf('other')])).run('other'), undefined)
    },
  ],
  [
    'gives the same answers and records as a store in memory after any changes',
    async ({ store, clock }) => {
      const memory = memoryStore({ clock })
      let seed = 1
      const random = (below: number) => {
        seed = (seed * 48_271) % 2_147_483_647
        return seed % below
      }
      const changes = (): readonly RecordChange<unknown>[] => [
        opening(40),
        reserving(`charge-${random(20)}`, random(6)),
        reserving(`charge-${random(20)}`, random(6)),
        settling(`charge-${random(20)}`, random(6)),
        dropped(`["family","charge-${random(20)}"]`),
      ]
      for (let turn = 0; turn < 150; turn++) {
        const change = changes()[random(5)] ?? opening(40)
        assert.deepEqual(await store.change(change), await memory.change(change))
        assert.deepEqual(await accountOf(store), await accountOf(memory))
      }
      const all = async (of: Store) =>
        (await chargesOf(of, 100)).map(({ key, version, body }) => ({ key, version, body }))
      assert.deepEqual(await all(store), await all(memory))
      await memory.close()
    },
  ],
]

function tokens(count: number): Amount {
  return { tokens: count, nanos: 0 }
}

function opening(cap: number) {
  return openAccount('family', { tokens: cap })
}

function reserving(runId: string, count: number) {
  return reserve('family', runId, { attempt: 'first', ...tokens(count) })
}

function settling(runId: string, count: number) {
  return settle('family', runId, 'first', tokens(count))
}

function accountWith(cap: number, charged = 0, held = 0): Account {
  return { run: 'family', caps: { tokens: cap }, charged: tokens(charged), held: tokens(held) }
}

function dropped(charge: string): RecordChange<boolean> {
  return { reads: [], judge: () => ({ answer: true, writes: [drop(chargeKind, charge)] }) }
}

async function accountOf(store: Store) {
  const found = (await store.records([rowOf(accountKind, 'family')])).row(accountKind, 'family')
  return found && { version: found.version, body: found.body }
}

async function chargesOf(store: Store, limit: number, before?: number) {
  const page = before === undefined ? {} : { behind: [before] }
  const read = rowsOf(chargeKind, { index: 'run', values: ['family'], limit, ...page })
  return (await store.records([read])).rows(chargeKind, read)
}
