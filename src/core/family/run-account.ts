import { type Caps, openAccount, reserve, settle } from '../domain/account.ts'
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
}

/**
 * Returns the account of a run by its stored input: that of its family, or one of its own if it may have children and its
 * tokens or its cost are limited.
 */
export function accountIn(runId: string, input: Json | undefined, mayHaveChildren: boolean): FamilyAccount | undefined {
  const root = familyIn(input)?.account
  if (root !== undefined) return { root }
  const caps = capsIn(input)
  return mayHaveChildren && (caps.tokens ?? caps.nanos) !== undefined ? { root: runId, caps } : undefined
}

/** Returns the access of a run to its account. The root opens the account before its first request. */
export function runAccount(store: Records, runId: string, account: FamilyAccount | undefined): RunAccount | undefined {
  if (account === undefined) return undefined
  const { root, caps } = account
  let isOpen = caps === undefined
  return {
    reserve: async ({ isForced, ...asked }) => {
      if (!isOpen && caps !== undefined) await store.change(openAccount(root, caps))
      isOpen = true
      return store.change(reserve(root, runId, { ...asked, isForced: isForced === true && caps !== undefined }))
    },
    settle: (attempt, spent) => store.change(settle(root, runId, attempt, spent)),
  }
}

const nanosOfDollar = 1_000_000_000

function capsIn(input: Json | undefined): Caps {
  const options = isRecord(input) ? input['options'] : undefined
  const limits: readonly unknown[] = isRecord(options) && Array.isArray(options['limits']) ? options['limits'] : []
  const capOf = (code: string, units: number) => {
    const max = limits.filter(isRecord).find((limit) => limit['code'] === code)?.['max']
    return typeof max === 'number' ? Math.min(Math.round(max * units), Number.MAX_SAFE_INTEGER) : undefined
  }
  const [tokens, nanos] = [capOf('max_tokens', 1), capOf('max_cost', nanosOfDollar)]
  return { ...(tokens === undefined ? {} : { tokens }), ...(nanos === undefined ? {} : { nanos }) }
}
