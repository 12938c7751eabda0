import { useGrant } from '../domain/granted.ts'
import { granteesOf } from '../domain/grant.ts'
import type { RunDetails } from '../domain/run-details.ts'
import type { Clock } from '../ports/clock.ts'
import type { RunGrants } from '../ports/grants.ts'
import type { Records } from '../ports/records.ts'
import { listGrants } from './granted.ts'

/** Returns the stored grants for a run. */
export function grantsOfRun(store: Records, agent: string, details: RunDetails, clock: Pick<Clock, 'now'>): RunGrants {
  return {
    of: async (toolName, callId) => {
      const forCall = { runId: details.id, callId }
      return listGrants(store, { agent, toolName, grantees: granteesOf(details), forCall })
    },
    use: (grantId, entry) => store.change(useGrant(grantId, entry, clock.now())),
  }
}
