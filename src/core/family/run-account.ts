import type { AccountLimit } from '../domain/account.ts'
import { familyPlaceIn } from '../domain/family-link.ts'
import { defined, isRecord, type Json, type JsonObject } from '../domain/text/json.ts'
import type { Records } from '../ports/records.ts'
import type { FamilyAccount, RunAccount } from '../ports/run-account.ts'

/**
 * Returns a run's account by its stored input: its family's, or its own if its tokens or cost are limited and it may
 * have children or asks at the limit.
 */
export function accountIn(runId: string, input: Json | undefined, mayHaveChildren: boolean): FamilyAccount | undefined {
  const { account } = familyPlaceIn(runId, input)
  if (account !== undefined) return { root: account }
  const limits = limitsIn(input)
  if (limits.length === 0) return undefined
  const asks = codes.filter((code) => limits.some((limit) => limit['code'] === code && limit['action'] === 'ask'))
  if (!mayHaveChildren && asks.length === 0) return undefined
  const capOf = (code: AccountLimit, units: number) => {
    const max = limits.find((limit) => limit['code'] === code)?.['max']
    return typeof max === 'number' ? Math.min(Math.round(max * units), Number.MAX_SAFE_INTEGER) : undefined
  }
  const caps = defined({ tokens: capOf('max_tokens', 1), nanos: capOf('max_cost', nanosOfDollar) })
  const isLimited = (caps.tokens ?? caps.nanos) !== undefined
  return isLimited || asks.length > 0 ? { root: runId, caps, asks } : undefined
}

/** Returns the access of a run to its account. */
export function runAccount(store: Records, runId: string, account: FamilyAccount): RunAccount {
  let charges: Promise<RunAccount> | undefined
  const opened = () => (charges ??= import('./charge-run.ts').then(({ chargeRun }) => chargeRun(store, runId, account)))
  return {
    root: account.root,
    reserve: async (asked) => (await opened()).reserve(asked),
    add: async (key, limit, units) => (await opened()).add(key, limit, units),
    settle: async (attempt, spent) => (await opened()).settle(attempt, spent),
  }
}

const nanosOfDollar = 1_000_000_000

/** Returns the limits of tokens and cost that were stored with a run. */
function limitsIn(input: Json | undefined): readonly JsonObject[] {
  const options = isRecord(input) ? input['options'] : undefined
  const limits: readonly unknown[] = isRecord(options) && Array.isArray(options['limits']) ? options['limits'] : []
  return limits.filter((limit): limit is JsonObject => isRecord(limit) && codes.some((code) => code === limit['code']))
}

const codes: readonly AccountLimit[] = ['max_tokens', 'max_cost']
