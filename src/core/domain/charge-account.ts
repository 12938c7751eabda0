import {
  type Account,
  accountKind,
  type AccountLimit,
  type Amount,
  type Charge,
  chargeKind,
  checkAmount,
  noAmount,
} from './account.ts'
import { put, type RecordChange, type RecordWrite } from './records/record-change.ts'
import { rowOf } from './records/record-read.ts'

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

/**
 * The result of a reservation, such as the cap that it would exceed; `ask_` begins one at which somebody is asked for more.
 * `unpriced` means that the price is unknown and the cost has a cap; `unknown` that there is no account.
 */
export type Reserved = 'reserved' | AccountLimit | `ask_${AccountLimit}` | 'unpriced' | 'unknown'

/**
 * Reserves an amount for an attempt of a run. The same attempt reserves once. A reservation that an earlier attempt of
 * the run has not settled is charged as unknown. A commit is refused if it asks for more than the account has left. An
 * account that does not exist is opened as `opened` says.
 */
export function reserve(root: string, runId: string, asked: Reservation, opened?: Account): RecordChange<Reserved> {
  const { attempt, tokens, nanos = 0 } = asked
  const held = { tokens, nanos }
  checkAmount(held)
  return withCharge(root, runId, (stored, known) => {
    const account = stored ?? opened
    if (known?.attempt === attempt) return { answer: 'reserved' }
    if (account === undefined) return { answer: 'unknown', refuses: true }
    const refusal = refusalOf(account, asked)
    if (refusal !== undefined) return { answer: refusal, refuses: true, ...(stored === undefined && { account }) }
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
  account: Account,
  asked: Omit<Reservation, 'attempt'>,
): Exclude<Reserved, 'reserved' | 'unknown'> | undefined {
  const refusal = capOver(account, asked)
  if (refusal === undefined || refusal === 'unpriced') return refusal
  return account.asks?.includes(refusal) === true ? `ask_${refusal}` : refusal
}

function capOver(
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
    isWrite: true,
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
