import { changing, type Judgement, put, type RecordChange } from './records/record-change.ts'
import { recordKind } from './records/record-kind.ts'
import { rowOf } from './records/record-read.ts'
import { isMissingOr, isNumber, isShaped, isText } from './text/shape.ts'

/** The shared budget of a family of runs, in whole units. */
export interface Account {
  readonly cap: number
  /** The sum of all settled charges. */
  readonly charged: number
  /** The sum of the reserved units that are not settled. */
  readonly held: number
}

/** One reservation of an account; `spent` is set when it is settled. */
export interface Charge {
  readonly account: string
  readonly held: number
  readonly spent?: number
}

/** Accounts, by id. */
export const accountKind = recordKind<Account>({
  name: 'account',
  fields: {},
  fieldsOf: () => ({}),
  indexes: {},
  isBody: isShaped<Account>({ cap: isNumber, charged: isNumber, held: isNumber }),
})

/** Charges, by account and name. A charge outlives its run, as the account does. */
export const chargeKind = recordKind<Charge>({
  name: 'charge',
  fields: { account: 'text' },
  fieldsOf: ({ account }) => ({ account }),
  indexes: { account: ['account'] },
  isBody: isShaped<Charge>({ account: isText, held: isNumber, spent: isMissingOr(isNumber) }),
})

/** The result of a reservation: `exceeded` if the account has too few units left, `unknown` without an account. */
export type Reserved = 'reserved' | 'exceeded' | 'unknown'

/** Opens an account if it does not exist. The answer is the account after the change. */
export function openAccount(id: string, cap: number): RecordChange<Account> {
  checkUnits(cap)
  return changing(accountKind, id, (known) => {
    const account = known?.body ?? { cap, charged: 0, held: 0 }
    return { answer: account, writes: known === undefined ? [put(accountKind, id, account)] : [] }
  })
}

/**
 * Reserves units for a charge. A repeated reservation of the same charge has no effect. A commit that asks for more
 * units than the account has left is refused.
 */
export function reserve(account: string, charge: string, units: number): RecordChange<Reserved> {
  checkUnits(units)
  return withCharge(account, charge, (open, known) => {
    if (known !== undefined) return { answer: 'reserved', writes: [] }
    if (open === undefined) return { answer: 'unknown', writes: [], refuses: true }
    if (open.charged + open.held + units > open.cap) return { answer: 'exceeded', writes: [], refuses: true }
    const held = put(accountKind, account, { ...open, held: open.held + units })
    const reserved = put(chargeKind, chargeKey(account, charge), { account, held: units })
    return { answer: 'reserved', writes: [held, reserved] }
  })
}

/** Settles a charge with the spent units; 0 returns all of them. The answer is false without a reservation. */
export function settle(account: string, charge: string, spent: number): RecordChange<boolean> {
  checkUnits(spent)
  return withCharge(account, charge, (open, known) => {
    if (open === undefined || known === undefined) return { answer: false, writes: [] }
    if (known.spent !== undefined) return { answer: true, writes: [] }
    const { cap, charged, held } = open
    const settled = put(accountKind, account, { cap, charged: charged + spent, held: held - known.held })
    const paid = put(chargeKind, chargeKey(account, charge), { account, held: known.held, spent })
    return { answer: true, writes: [settled, paid] }
  })
}

function withCharge<Answer>(
  account: string,
  charge: string,
  judge: (account: Account | undefined, charge: Charge | undefined) => Judgement<Answer>,
): RecordChange<Answer> {
  const key = chargeKey(account, charge)
  return {
    reads: [rowOf(accountKind, account), rowOf(chargeKind, key)],
    judge: (found) => judge(found.row(accountKind, account)?.body, found.row(chargeKind, key)?.body),
  }
}

/** Returns the key of a charge, which includes the account because two accounts may have charges with the same name. */
function chargeKey(account: string, charge: string): string {
  return JSON.stringify([account, charge])
}

function checkUnits(units: number): void {
  if (Number.isSafeInteger(units) && units >= 0) return
  throw new TypeError(`An account counts whole units of 0 or more, got ${units}.`)
}
