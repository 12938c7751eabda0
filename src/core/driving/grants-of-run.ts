import { granteesOf } from '../domain/grant.ts'
import type { RunDetails } from '../domain/run-details.ts'
import type { Clock } from '../ports/clock.ts'
import type { RunGrants } from '../ports/grants.ts'
import type { Store } from '../ports/store.ts'

/** What a store remembers for a run. */
export function grantsOfRun(
  store: Pick<Store, 'grants' | 'useGrant'>,
  agent: string,
  details: RunDetails,
  clock: Pick<Clock, 'now'>,
): RunGrants {
  return {
    of: async (toolName, callId) => {
      const forCall = { runId: details.id, callId }
      return store.grants({ agent, toolName, grantees: granteesOf(details), forCall })
    },
    use: (grantId, entry) => store.useGrant(grantId, entry, clock.now()),
  }
}
