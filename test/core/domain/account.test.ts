import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { accountKind, type Amount, chargeKind, noAmount, openAccount } from '../../../src/core/domain/account.ts'
import { reserve, settle } from '../../../src/core/domain/charge-account.ts'
import type { RecordChange } from '../../../src/core/domain/records/record-change.ts'
import { rowOf, rowsOf } from '../../../src/core/domain/records/record-read.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { randomFrom } from '../../../proof/support/random.ts'

/** One random change of an account. */
interface RandomStep {
  readonly run: string
  readonly attempt: string
  /** Returns a random whole number below a count. */
  readonly below: (count: number) => number
}

async function stored(store: Store) {
  const read = rowsOf(chargeKind, { index: 'run', values: ['root'], limit: 100 })
  const found = await store.records([rowOf(accountKind, 'root'), read])
  const charges = found.rows(chargeKind, read).map(({ key, body }) => ({ name: JSON.parse(key)[1], ...body }))
  return { account: found.row(accountKind, 'root')?.body, charges }
}

function sumOf(amounts: readonly Amount[]): Amount {
  const sum = (unit: keyof Amount) => amounts.reduce((total, amount) => total + amount[unit], 0)
  return { tokens: sum('tokens'), nanos: sum('nanos') }
}

/** The faults of a stored account: in its sums, in its caps after a reservation, or in a second arrival that changes something. */
async function problemsOf(store: Store, caps: Amount, { run, attempt, below }: RandomStep): Promise<readonly string[]> {
  const before = await stored(store)
  const last = before.charges.find((charge) => charge.name === run)?.attempt
  const problems: string[] = []
  const check = (what: string, holds: boolean) => {
    if (!holds) problems.push(`${what}: ${run}, ${attempt}`)
  }
  const asked = { attempt, tokens: below(30), nanos: below(30) }
  const spent = below(3) === 0 ? undefined : { tokens: below(3), nanos: below(3) }
  const isReserving = below(2) === 0
  const named = below(3) === 0 ? attempt : (last ?? attempt)
  const change = (): RecordChange<unknown> =>
    isReserving ? reserve('root', run, asked) : settle('root', run, named, spent)
  const answer = await store.change(change())
  const once = await stored(store)
  check('a second arrival answers alike', (await store.change(change())) === answer)
  const { account, charges } = await stored(store)
  check('a second arrival changes nothing', isDeepStrictEqual({ account, charges }, once))
  const isIdle = isReserving ? answer !== 'reserved' || last === attempt : answer === false
  check('what is refused, known or late changes nothing', !isIdle || isDeepStrictEqual(once, before))
  const { charged = noAmount, held = noAmount } = account ?? {}
  const used = sumOf([charged, held])
  const isWithin = used.tokens <= caps.tokens && used.nanos <= caps.nanos
  check('charged and reserved lie within the caps', isIdle || !isReserving || isWithin)
  const known = sumOf(charges.flatMap(({ settled, unknown }) => [settled, unknown]))
  check('charged is settled and unknown', isDeepStrictEqual(charged, known))
  check('reserved is what runs hold', isDeepStrictEqual(held, sumOf(charges.flatMap((charge) => charge.held ?? []))))
  return problems
}

test('AGT-18 an account keeps charges and reservations within its caps, even if they arrive twice, late or never', async () => {
  const random = randomFrom(18)
  const below = (count: number) => Math.floor(random() * count)
  const caps = { tokens: 400, nanos: 300 }
  for (let round = 0; round < 10; round++) {
    const store = memoryStore()
    await store.change(openAccount('root', caps))
    for (let turn = 1; turn <= 200; turn++) {
      const step = { run: `run-${below(4)}`, attempt: `attempt-${turn - below(Math.min(turn, 6))}`, below }
      expect(await problemsOf(store, caps, step)).toEqual([])
    }
    const { charges } = await stored(store)
    const kinds = [charges.map(({ settled }) => settled), charges.map(({ unknown }) => unknown)]
    expect(kinds.map((amounts) => sumOf(amounts).tokens > 0)).toEqual([true, true])
    await store.close()
  }
})

test('AGT-18 refuses a request without a price only under a cost cap', async () => {
  const store = memoryStore()
  const asked = { attempt: 'one', tokens: 1 }
  await store.change(openAccount('free', { tokens: 10 }))
  await store.change(openAccount('capped', { nanos: 10 }))
  expect(await store.change(reserve('free', 'run', asked))).toBe('reserved')
  expect(await store.change(reserve('capped', 'run', asked))).toBe('unpriced')
  expect(await store.change(reserve('capped', 'run', { ...asked, isForced: true }))).toBe('unpriced')
  expect(await store.change(reserve('capped', 'run', { ...asked, nanos: 11 }))).toBe('max_cost')
  expect(await store.change(reserve('capped', 'run', { ...asked, nanos: 11, isForced: true }))).toBe('reserved')
  expect(await store.change(reserve('nobody', 'run', asked))).toBe('unknown')
  await store.close()
})

test('AGT-18 an amount too large for a double fills the account instead of being lost', async () => {
  const store = memoryStore()
  const most = Number.MAX_SAFE_INTEGER
  await store.change(openAccount('root', { tokens: most }))
  await store.change(reserve('root', 'one', { attempt: 'a', tokens: most, nanos: 0 }))
  await store.change(settle('root', 'one', 'a', { tokens: most, nanos: most }))
  await store.change(reserve('root', 'one', { attempt: 'b', tokens: most, nanos: most, isForced: true }))
  expect(await store.change(settle('root', 'one', 'b'))).toBe(true)
  expect((await stored(store)).account).toMatchObject({ charged: { tokens: most, nanos: most }, held: noAmount })
  expect(await store.change(reserve('root', 'two', { attempt: 'a', tokens: 1, nanos: 0 }))).toBe('max_tokens')
  await store.close()
})
