import { UsageError } from '../domain/text/usage-error.ts'
import type { Store } from '../ports/store.ts'
import { missingMethods } from '../ports/store-methods.ts'

/** Returns an agent's store; throws a `UsageError` that names its missing methods. */
export function checkedStore(store: Store): Store {
  const missing = missingMethods(store)
  if (missing.length === 0) return store
  const wish = 'Use a store such as sqliteStore(path), or add them: storeSuite of statewright/testing tests each.'
  throw new UsageError('bad_option', `The store has no ${missing.join(', ')}, which every store must have. ${wish}`)
}
