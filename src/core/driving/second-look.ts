import { type FoundLease, StoreError } from '../domain/store-error.ts'

/**
 * Requests runs from a store. The store may refuse and name an expired lease of a living process on this host, because
 * clocks differ or that process is stuck. Then this function waits for one lease lifetime and asks again with that
 * lease. `wait` returns false if nobody wants the answer any more.
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
