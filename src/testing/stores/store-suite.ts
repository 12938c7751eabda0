import type { Clock } from '../../core/ports/clock.ts'
import { chainCases } from './store-suite-chains.ts'
import { commitCases } from './store-suite-commits.ts'
import { decisionCases } from './store-suite-decisions.ts'
import { eventCases } from './store-suite-events.ts'
import { firstCommitCases } from './store-suite-first-commits.ts'
import { fileCases } from './store-suite-files.ts'
import { findingCases } from './store-suite-finding.ts'
import { leaseClock, type StoreUnderTest } from './store-suite-fixtures.ts'
import { grantCases } from './store-suite-grants.ts'
import { inboxCases } from './store-suite-inbox.ts'
import { outgoingCases } from './store-suite-outgoing.ts'
import { keptCases } from './store-suite-kept.ts'
import { overtakenCases } from './store-suite-overtaken.ts'
import { leaseCases } from './store-suite-leases.ts'
import { randomChainCases } from './store-suite-random-chains.ts'
import { readingCases } from './store-suite-reading.ts'
import { runCases } from './store-suite-runs.ts'
import { recordCases } from './store-suite-records.ts'
import { saidCases } from './store-suite-said.ts'
import { workCases } from './store-suite-work.ts'
import { versionCases } from './store-suite-versions.ts'
import { workerRecordCases } from './store-suite-workers.ts'
import { liveCases } from './store-suite-live.ts'
import { methodCases } from './store-suite-methods.ts'
import { sessionRunCases } from './store-suite-session-runs.ts'
import { sessionCases } from './store-suite-sessions.ts'
import { watched } from '../watchdog.ts'

export type { StoreUnderTest } from './store-suite-fixtures.ts'

/**
 * Returns the cases that every store must pass, for any test runner. `open` returns a new, empty store for each case;
 * its leases must expire by the given clock. `patienceMs` is the time limit of a case: a store on a server needs more
 * time on a busy machine.
 */
export function storeSuite(
  open: (clock: Pick<Clock, 'now'>) => Promise<StoreUnderTest>,
  patienceMs?: number,
): readonly { readonly name: string; readonly run: () => Promise<void> }[] {
  const cases = [
    ...methodCases,
    ...runCases,
    ...firstCommitCases,
    ...leaseCases,
    ...commitCases,
    ...readingCases,
    ...chainCases,
    ...randomChainCases,
    ...eventCases,
    ...fileCases,
    ...liveCases,
    ...inboxCases,
    ...saidCases,
    ...decisionCases,
    ...keptCases,
    ...overtakenCases,
    ...recordCases,
    ...grantCases,
    ...workCases,
    ...versionCases,
    ...workerRecordCases,
    ...sessionCases,
    ...sessionRunCases,
    ...findingCases,
    ...outgoingCases,
  ]
  return cases.map(([name, run]) => ({
    name,
    run: () =>
      watched(
        name,
        async () => {
          const clock = leaseClock()
          const under = await open(clock)
          try {
            await run({ ...under, clock })
          } finally {
            await under.dispose()
          }
        },
        patienceMs,
      ),
  }))
}
