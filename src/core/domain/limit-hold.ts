import type { AccountLimit } from './account.ts'
import type { CallRecord } from './call.ts'
import { isRecord, type Json } from './text/json.ts'

/** The question of a run that cannot pay for its next request. */
export interface LimitQuestion {
  /** The root of the family, which owns the account. */
  readonly root: string
  readonly limit: AccountLimit
}

type Held = Pick<CallRecord, 'isHold' | 'suspension'>

/** Returns the question of a run's hold for its account; undefined for any other call. */
export function limitQuestion({ isHold, suspension }: Held): LimitQuestion | undefined {
  const given = suspension?.parameters
  if (isHold !== true || suspension?.reason !== 'limit' || !isRecord(given)) return undefined
  const { root, limit } = given
  return typeof root === 'string' && isAccountLimit(limit) ? { root, limit } : undefined
}

/** Returns the suspension of a run that cannot pay for its next request. */
export function limitTicket(root: string, limit: AccountLimit) {
  const unit = limit === 'max_tokens' ? 'tokens' : 'US dollars'
  const found = `The account of run "${root}" has too little left for one more request to a model (${limit}).`
  return {
    reason: 'limit' as const,
    message: `${found} Give the ${unit} to add, or deny it to end the waiting runs.`,
    parameters: { root, limit },
    responseSchema: { type: 'number', exclusiveMinimum: 0 },
    limit,
  }
}

/** Returns true for the code of a limit of an account. */
export function isAccountLimit(value: unknown): value is AccountLimit {
  return value === 'max_tokens' || value === 'max_cost'
}

/**
 * Returns the amount that an answer adds to an account, in tokens or billionths of a dollar; undefined if it is not a number
 * above 0 that can be counted. An answer gives tokens or US dollars.
 */
export function addedAmount({ limit }: LimitQuestion, result: Json | undefined): number | undefined {
  if (typeof result !== 'number' || !(result > 0)) return undefined
  const units = limit === 'max_tokens' ? result : Math.round(result * 1_000_000_000)
  return Number.isSafeInteger(units) && units > 0 ? units : undefined
}
