import { type FoundLease, StoreError } from '../domain/store-error.ts'

/**
 * Requests runs from a store. A refusal may name an expired lease of a living process on this host: the clocks may
 * differ, or that process may be stuck. Then this waits for one lease lifetime and asks again with the lease as it was
 * found. `wait` returns false if nobody wants the answer any more.
 */
export async function atSecondLook<Result>(
  ask: (found: readonly FoundLease[]) => Promise<Result>,
  wait: () => Promise<boolean>,
): Promise<Result> {
  const found: FoundLease[] = []
  for (;;) {
    try {
      return await ask(found)
    } catch (error) {
      const expired = error instanceof StoreError ? error.expired : undefined
      const isKnown = found.some(({ runId }) => runId === expired?.runId)
      if (expired === undefined || isKnown || !(await wait())) throw error
      found.push(expired)
    }
  }
}
