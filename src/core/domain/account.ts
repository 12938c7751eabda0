import { changing, put, type RecordChange, type RecordWrite } from './records/record-change.ts'
import { recordKind } from './records/record-kind.ts'
import { rowOf } from './records/record-read.ts'
import { isRecord } from './text/json.ts'
import { isMissingOr, isNumber, isShaped, isText } from './text/shape.ts'

/** Tokens, and money in billionths of a US dollar; both are whole numbers of 0 or more. */
export interface Amount {
  readonly tokens: number
  readonly nanos: number
}

/** The caps of an account; without a cap, any amount may be charged. */
export type Caps = Partial<Amount>

/** Nothing. */
export const noAmount: Amount = { tokens: 0, nanos: 0 }

const isAmounts = isShaped<Amount>({ tokens: isNumber, nanos: isNumber })

/** The shared account of a family of runs. */
export interface Account {
  /** The root of the family. */
  readonly run: string
  readonly caps: Caps
  /** The sum of what was settled and what stays unknown. */
  readonly charged: Amount
  /** The sum of the reservations that are not settled. */
  readonly held: Amount
}

/** What one run of the family has charged to the account. */
export interface Charge {
  /** The root of the family. */
  readonly run: string
  /** The last attempt that has reserved something. */
  readonly attempt: string
  /** What the attempt has reserved; absent once its outcome is charged. */
  readonly held?: Amount
  readonly settled: Amount
  /** Reservations of attempts whose outcome nobody knows. */
  readonly unknown: Amount
}

/** Accounts, by the id of the root. They are deleted with the root. */
export const accountKind = recordKind<Account>({
  name: 'account',
  fields: { run: 'text' },
  fieldsOf: ({ run }) => ({ run }),
  indexes: { run: ['run'] },
  isBody: isShaped<Account>({ run: isText, caps: isRecord, charged: isAmounts, held: isAmounts }),
  runGone: () => undefined,
})

/** Charges, by account and run. They are deleted with the root. */
export const chargeKind = recordKind<Charge>({
  name: 'charge',
  fields: { run: 'text' },
  fieldsOf: ({ run }) => ({ run }),
  indexes: { run: ['run'] },
  isBody: isShaped<Charge>({
    ...{ run: isText, attempt: isText, held: isMissingOr(isAmounts), settled: isAmounts, unknown: isAmounts },
  }),
  runGone: () => undefined,
})

/** A request for a reservation. */
export interface Reservation {
  /** The id of the attempt. */
  readonly attempt: string
  readonly tokens: number
  /** Absent if the price is unknown. */
  readonly nanos?: number
  /** True if the reservation may exceed the caps. */
  readonly isForced?: boolean
}

/** The code of an exceeded cap. */
export type AccountLimit = 'max_tokens' | 'max_cost'

/**
 * The result of a reservation, such as the cap that it would exceed. `unpriced` means that the price is unknown and the
 * cost has a cap; `unknown` that there is no account.
 */
export type Reserved = 'reserved' | AccountLimit | 'unpriced' | 'unknown'

/** Opens an account if it does not exist. The answer is the account after the change. */
export function openAccount(root: string, caps: Caps): RecordChange<Account> {
  checkAmount({ ...noAmount, ...caps })
  return changing(accountKind, root, (known) => {
    const account = known?.body ?? { run: root, caps, charged: noAmount, held: noAmount }
    return { answer: account, writes: known === undefined ? [put(accountKind, root, account)] : [] }
  })
}

/**
 * Reserves an amount for an attempt of a run. The same attempt reserves once. What an earlier attempt of the run has
 * reserved and not settled is charged as unknown. A commit that asks for more than the account has left is refused.
 */
export function reserve(root: string, runId: string, asked: Reservation): RecordChange<Reserved> {
  const { attempt, tokens, nanos = 0 } = asked
  const held = { tokens, nanos }
  checkAmount(held)
  return withCharge(root, runId, (account, known) => {
    if (known?.attempt === attempt) return { answer: 'reserved' }
    const refusal = account === undefined ? 'unknown' : refusalOf(account, asked)
    if (account === undefined || refusal !== undefined) return { answer: refusal ?? 'unknown', refuses: true }
    const left = withoutHold(account, known ?? { run: root, attempt, settled: noAmount, unknown: noAmount })
    return {
      answer: 'reserved',
      account: { ...left.account, held: plus(left.account.held, held) },
      charge: { ...left.charge, attempt, held },
    }
  })
}

/**
 * Settles an attempt with what it has spent; an amount of 0 gives the reservation back. Without an amount, the
 * reservation is charged as unknown. The same attempt settles once; the answer is false for any other attempt.
 */
export function settle(root: string, runId: string, attempt: string, spent?: Amount): RecordChange<boolean> {
  if (spent !== undefined) checkAmount(spent)
  return withCharge(root, runId, (account, known) => {
    if (account === undefined || known?.attempt !== attempt) return { answer: false }
    if (known.held === undefined) return { answer: true }
    if (spent === undefined) return { answer: true, ...withoutHold(account, known) }
    const { held, ...charge } = known
    const { charged } = account
    return {
      answer: true,
      account: { ...account, charged: plus(charged, spent), held: minus(account.held, held) },
      charge: { ...charge, settled: plus(charge.settled, spent) },
    }
  })
}

/** Returns why an account would refuse a reservation, or undefined if it would not. */
export function refusalOf(
  { caps, charged, held }: Account,
  { tokens, nanos, isForced }: Omit<Reservation, 'attempt'>,
): AccountLimit | 'unpriced' | undefined {
  if (nanos === undefined && caps.nanos !== undefined) return 'unpriced'
  if (isForced === true) return undefined
  const used = plus(charged, held)
  if (used.tokens + tokens > (caps.tokens ?? Infinity)) return 'max_tokens'
  return used.nanos + (nanos ?? 0) > (caps.nanos ?? Infinity) ? 'max_cost' : undefined
}

/** An account and a charge after the open reservation of the charge is charged as unknown. */
function withoutHold(account: Account, { held, ...charge }: Charge) {
  if (held === undefined) return { account, charge }
  return {
    account: { ...account, charged: plus(account.charged, held), held: minus(account.held, held) },
    charge: { ...charge, unknown: plus(charge.unknown, held) },
  }
}

/** A judgement with the account and the charge to store. */
interface ChargeJudgement<Answer> {
  readonly answer: Answer
  readonly refuses?: boolean
  readonly account?: Account
  readonly charge?: Charge
}

function withCharge<Answer>(
  root: string,
  runId: string,
  judge: (account: Account | undefined, charge: Charge | undefined) => ChargeJudgement<Answer>,
): RecordChange<Answer> {
  const key = JSON.stringify([root, runId])
  return {
    reads: [rowOf(accountKind, root), rowOf(chargeKind, key)],
    judge: (found) => {
      const known = [found.row(accountKind, root)?.body, found.row(chargeKind, key)?.body] as const
      const { account, charge, ...judgement } = judge(...known)
      const writes: RecordWrite[] = []
      if (account !== undefined) writes.push(put(accountKind, root, account))
      if (charge !== undefined) writes.push(put(chargeKind, key, charge))
      return { ...judgement, writes }
    },
  }
}

/** A sum that no double can hold counts as the largest whole number that it can, which exceeds every cap. */
function plus(left: Amount, right: Amount): Amount {
  const sum = (one: number, other: number) => Math.min(one + other, Number.MAX_SAFE_INTEGER)
  return { tokens: sum(left.tokens, right.tokens), nanos: sum(left.nanos, right.nanos) }
}

function minus(left: Amount, right: Amount): Amount {
  return { tokens: Math.max(left.tokens - right.tokens, 0), nanos: Math.max(left.nanos - right.nanos, 0) }
}

function checkAmount({ tokens, nanos }: Amount): void {
  const bad = [tokens, nanos].find((units) => !Number.isSafeInteger(units) || units < 0)
  if (bad !== undefined) throw new TypeError(`An account counts whole units of 0 or more, got ${bad}.`)
}
