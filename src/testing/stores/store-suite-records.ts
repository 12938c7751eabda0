import assert from 'node:assert/strict'
import { accountKind, chargeKind, openAccount, reserve, settle } from '../../core/domain/account.ts'
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
      assert.equal(await store.change(reserve('family', 'early', 1)), 'unknown')
      const opened = { cap: 100, charged: 0, held: 0 }
      assert.deepEqual(await store.change(openAccount('family', 100)), opened)
      assert.deepEqual(await store.change(openAccount('family', 7)), opened)
      assert.equal(await store.change(reserve('family', "it's\u0000 one", 60)), 'reserved')
      assert.equal(await store.change(reserve('family', "it's\u0000 one", 60)), 'reserved')
      assert.equal(await store.change(reserve('family', 'two', 41)), 'exceeded')
      assert.deepEqual(await accountOf(store), { version: 2, body: { cap: 100, charged: 0, held: 60 } })
      assert.equal(await store.change(settle('family', "it's\u0000 one", 75)), true)
      assert.equal(await store.change(settle('family', "it's\u0000 one", 75)), true)
      assert.equal(await store.change(settle('family', 'two', 1)), false)
      assert.deepEqual(await accountOf(store), { version: 3, body: { cap: 100, charged: 75, held: 0 } })
    },
  ],
  [
    'reads the records of an index from the newest on, in pages',
    async ({ store }) => {
      await store.change(openAccount('family', 100))
      await store.change(openAccount('others', 100))
      for (const name of ['one', 'two', 'three']) {
        await store.change(reserve('family', name, 1))
        await store.change(reserve('others', name, 9))
      }
      await store.change(settle('family', 'one', 5))
      const first = await chargesOf(store, 2)
      const held = { account: 'family', held: 1 }
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
        [{ key: '["family","one"]', body: { ...held, spent: 5 }, version: 2 }],
      )
    },
  ],
  [
    'writes nothing of a change whose record cannot be stored',
    async ({ store }) => {
      await store.change(openAccount('family', 100))
      const bad: RecordChange<void> = {
        reads: [rowOf(accountKind, 'family')],
        judge: () => ({
          answer: undefined,
          writes: [
            drop(accountKind, 'family'),
            { table: chargeKind, key: 'bad', put: { body: undefined, fields: { account: 'family' } } },
          ],
        }),
      }
      await assert.rejects(store.change(bad), TypeError)
      assert.deepEqual(await accountOf(store), { version: 1, body: { cap: 100, charged: 0, held: 0 } })
    },
  ],
  [
    'makes the changes of a commit in their order with it, or none of them',
    async ({ store }) => {
      const driver = await createDriver(store, 'run')
      await driver.commit({ records: [openAccount('family', 10), reserve('family', 'one', 4)] })
      assert.deepEqual(await accountOf(store), { version: 2, body: { cap: 10, charged: 0, held: 4 } })
      const tooMuch = [settle('family', 'one', 5), reserve('family', 'two', 5), reserve('family', 'three', 1)]
      const refused = { refused: 'record', answers: [true, 'reserved', 'exceeded'] }
      assert.deepEqual(await driver.commit({ status: 'waiting', records: tooMuch }), refused)
      assert.deepEqual(await accountOf(store), { version: 2, body: { cap: 10, charged: 0, held: 4 } })
      assert.deepEqual((await store.record('run')).status, 'running')
      await store.post('run', { kind: 'cancel' }, start)
      const records = [settle('family', 'one', 5)]
      assert.deepEqual(await driver.commit({ status: 'waiting', records }), { refused: 'inbox' })
      await assert.rejects(store.commit({ ...driver.plan({ records }), fence: 9 }))
      assert.deepEqual(await accountOf(store), { version: 2, body: { cap: 10, charged: 0, held: 4 } })
      await driver.commit({ records })
      assert.deepEqual(await accountOf(store), { version: 3, body: { cap: 10, charged: 5, held: 0 } })
    },
  ],
  [
    'begins the versions of a key anew when its record was dropped',
    async ({ store }) => {
      await store.change(openAccount('family', 1))
      await store.change(reserve('family', 'one', 1))
      await store.change({ reads: [], judge: () => ({ answer: true, writes: [drop(accountKind, 'family')] }) })
      assert.equal(await accountOf(store), undefined)
      await store.change(openAccount('family', 2))
      assert.deepEqual(await accountOf(store), { version: 1, body: { cap: 2, charged: 0, held: 0 } })
    },
  ],
  [
    'never exceeds the cap of an account whose charges come at once',
    async ({ store }) => {
      await Promise.all([1, 2, 3].map(() => store.change(openAccount('family', 10))))
      const names = Array.from({ length: 16 }, (_, index) => `charge-${index}`)
      const answers = await Promise.all(names.map((name) => store.change(reserve('family', name, 1))))
      assert.equal(answers.filter((answer) => answer === 'reserved').length, 10)
      await Promise.all(names.map((name) => store.change(settle('family', name, 2))))
      const charges = await chargesOf(store, 100)
      const spent = charges.reduce((sum, { body }) => sum + (body.spent ?? 0), 0)
      assert.deepEqual((await accountOf(store))?.body, { cap: 10, charged: spent, held: 0 })
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
        openAccount('family', 40),
        reserve('family', `charge-${random(20)}`, random(6)),
        reserve('family', `charge-${random(20)}`, random(6)),
        settle('family', `charge-${random(20)}`, random(6)),
        dropped(`["family","charge-${random(20)}"]`),
      ]
      for (let turn = 0; turn < 150; turn++) {
        const change = changes()[random(5)] ?? openAccount('family', 40)
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

function dropped(charge: string): RecordChange<boolean> {
  return { reads: [], judge: () => ({ answer: true, writes: [drop(chargeKind, charge)] }) }
}

async function accountOf(store: Store) {
  const found = (await store.records([rowOf(accountKind, 'family')])).row(accountKind, 'family')
  return found && { version: found.version, body: found.body }
}

async function chargesOf(store: Store, limit: number, before?: number) {
  const page = before === undefined ? {} : { behind: [before] }
  const read = rowsOf(chargeKind, { index: 'account', values: ['family'], limit, ...page })
  return (await store.records([read])).rows(chargeKind, read)
}
