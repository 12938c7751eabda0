import { type AccountLimit, addToCap, type Caps, openAccount } from '../domain/account.ts'
import { reserve, settle } from '../domain/charge-account.ts'
import { familyIn } from '../domain/family-link.ts'
import { isRecord, type Json } from '../domain/text/json.ts'
import type { Records } from '../ports/records.ts'
import type { RunAccount } from '../ports/run-account.ts'

/** The account of a run's family. */
export interface FamilyAccount {
  /** The root of the family. */
  readonly root: string
  /** The caps; absent in a child, because the root has opened the account. */
  readonly caps?: Caps
  /** The caps at which somebody is asked for more. */
  readonly asks?: readonly AccountLimit[]
}

/**
 * Returns the account of a run by its stored input: that of its family, or one of its own if its tokens or its cost are
 * limited and it may have children, or somebody is asked at the limit.
 */
export function accountIn(runId: string, input: Json | undefined, mayHaveChildren: boolean): FamilyAccount | undefined {
  const root = familyIn(input)?.account
  if (root !== undefined) return { root }
  const { caps, asks } = limitsIn(input)
  const isShared = mayHaveChildren && (caps.tokens ?? caps.nanos) !== undefined
  return isShared || asks.length > 0 ? { root: runId, caps, asks } : undefined
}

/** Returns the access of a run to its account. The root opens the account before its first request. */
export function runAccount(store: Records, runId: string, account: FamilyAccount | undefined): RunAccount | undefined {
  if (account === undefined) return undefined
  const { root, caps, asks } = account
  let isOpen = caps === undefined
  return {
    root,
    reserve: async ({ isForced, ...asked }) => {
      if (!isOpen && caps !== undefined) await store.change(openAccount(root, caps, asks))
      isOpen = true
      return store.change(reserve(root, runId, { ...asked, isForced: isForced === true && caps !== undefined }))
    },
    add: (key, limit, units) => store.change(addToCap(root, key, limit, units)),
    settle: (attempt, spent) => store.change(settle(root, runId, attempt, spent)),
  }
}

const nanosOfDollar = 1_000_000_000

/** Reads the limits that were stored with a run. */
function limitsIn(input: Json | undefined): Required<Pick<FamilyAccount, 'caps' | 'asks'>> {
  const options = isRecord(input) ? input['options'] : undefined
  const limits: readonly unknown[] = isRecord(options) && Array.isArray(options['limits']) ? options['limits'] : []
  const limitOf = (code: AccountLimit) => limits.filter(isRecord).find((limit) => limit['code'] === code)
  const capOf = (code: AccountLimit, units: number) => {
    const max = limitOf(code)?.['max']
    return typeof max === 'number' ? Math.min(Math.round(max * units), Number.MAX_SAFE_INTEGER) : undefined
  }
  const [tokens, nanos] = [capOf('max_tokens', 1), capOf('max_cost', nanosOfDollar)]
  return {
    caps: { ...(tokens === undefined ? {} : { tokens }), ...(nanos === undefined ? {} : { nanos }) },
    asks: codes.filter((code) => limitOf(code)?.['action'] === 'ask'),
  }
}

const codes: readonly AccountLimit[] = ['max_tokens', 'max_cost']
