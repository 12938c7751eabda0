import { changing, put, type RecordChange } from './records/record-change.ts'
import { recordKind } from './records/record-kind.ts'
import { isRecord } from './text/json.ts'
import { isMissingOr, isNumber, isShaped, isText, isTexts } from './text/shape.ts'

/** Tokens, and money in billionths of a US dollar; both are whole numbers of 0 or more. */
export interface Amount {
  readonly tokens: number
  readonly nanos: number
}

/** The caps of an account; without a cap, any amount may be charged. */
export type Caps = Partial<Amount>

/** An amount of zero. */
export const noAmount: Amount = { tokens: 0, nanos: 0 }

const isAmounts = isShaped<Amount>({ tokens: isNumber, nanos: isNumber })

/** The code of an exceeded cap. */
export type AccountLimit = 'max_tokens' | 'max_cost'

/** The shared account of a family of runs. */
export interface Account {
  readonly run: string
  readonly caps: Caps
  /** The sum of what was settled and what stays unknown. */
  readonly charged: Amount
  /** The sum of the reservations that are not settled. */
  readonly held: Amount
  /** The caps at which somebody is asked to raise them; absent for none. */
  readonly asks?: readonly AccountLimit[]
  /** The keys of the additions to the caps; absent for none. */
  readonly added?: readonly string[]
}

/** The charges of one run of the family. */
export interface Charge {
  readonly run: string
  /** The last attempt that has reserved something. */
  readonly attempt: string
  /** The open reservation of the attempt; absent once its outcome is charged. */
  readonly held?: Amount
  readonly settled: Amount
  /** Reservations of attempts whose outcome is unknown. */
  readonly unknown: Amount
}

/** Accounts, by the id of the root. They are deleted with the root. */
export const accountKind = recordKind<Account>({
  name: 'account',
  fields: { run: 'text' },
  fieldsOf: ({ run }) => ({ run }),
  indexes: { run: ['run'] },
  isBody: isShaped<Account>({
    ...{ run: isText, caps: isRecord, charged: isAmounts, held: isAmounts },
    ...{ asks: isMissingOr(isTexts), added: isMissingOr(isTexts) },
  }),
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

/** Returns the account of a root before anything is charged. */
export function newAccount(root: string, caps: Caps, asks: readonly AccountLimit[] = []): Account {
  checkAmount({ ...noAmount, ...caps })
  return { run: root, caps, charged: noAmount, held: noAmount, ...(asks.length === 0 ? {} : { asks }) }
}

/** Opens an account if it does not exist. The answer is the account after the change. */
export function openAccount(root: string, caps: Caps, asks?: readonly AccountLimit[]): RecordChange<Account> {
  const opened = newAccount(root, caps, asks)
  return changing(accountKind, root, (known) => {
    return { answer: known?.body ?? opened, writes: known === undefined ? [put(accountKind, root, opened)] : [] }
  })
}

/**
 * Adds an amount to a cap, in tokens or billionths of a dollar. The same key adds once; the answer is false if the account
 * or its cap is missing.
 */
export function addToCap(root: string, key: string, limit: AccountLimit, units: number): RecordChange<boolean> {
  const unit = limit === 'max_tokens' ? 'tokens' : 'nanos'
  checkAmount({ ...noAmount, [unit]: units })
  return changing(accountKind, root, (known) => {
    const { caps, added = [] } = known?.body ?? { caps: {} }
    const cap = caps[unit]
    if (known === undefined || cap === undefined) return { answer: false, writes: [] }
    if (added.includes(key)) return { answer: true, writes: [] }
    const raised = { ...caps, [unit]: Math.min(cap + units, Number.MAX_SAFE_INTEGER) }
    const body = { ...known.body, caps: raised, added: [...added, key] }
    return { answer: true, writes: [put(accountKind, root, body)] }
  })
}

/** Ends the asking for a larger cap. The answer is false if nobody was to be asked. */
export function stopAsking(root: string): RecordChange<boolean> {
  return changing(accountKind, root, (known) => {
    if (known?.body.asks === undefined) return { answer: false, writes: [] }
    const { asks: _, ...account } = known.body
    return { answer: true, writes: [put(accountKind, root, account)] }
  })
}

/** Throws a TypeError for an amount that is not in whole units of 0 or more. */
export function checkAmount({ tokens, nanos }: Amount): void {
  const bad = [tokens, nanos].find((units) => !Number.isSafeInteger(units) || units < 0)
  if (bad !== undefined) throw new TypeError(`An account counts whole units of 0 or more, got ${bad}.`)
}
