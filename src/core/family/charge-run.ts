import { addToCap, newAccount } from '../domain/account.ts'
import { reserve, settle } from '../domain/charge-account.ts'
import type { Records } from '../ports/records.ts'
import type { FamilyAccount, RunAccount } from '../ports/run-account.ts'

/** Returns a run's access to its account. The root opens the account with its first request. */
export function chargeRun(store: Records, runId: string, { root, caps, asks }: FamilyAccount): RunAccount {
  let opened = caps === undefined ? undefined : newAccount(root, caps, asks)
  return {
    root,
    reserve: async ({ isForced, ...given }) => {
      const asked = { ...given, isForced: isForced === true && caps !== undefined }
      const reserved = await store.change(reserve(root, runId, asked, opened))
      // An account that is missing later was deleted with its root.
      opened = undefined
      return reserved
    },
    add: (key, limit, units) => store.change(addToCap(root, key, limit, units)),
    settle: (attempt, spent) => store.change(settle(root, runId, attempt, spent)),
  }
}
