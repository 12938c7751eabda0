import type { Ids } from '../../core/ports/ids.ts'
import type { Store } from '../../core/ports/store.ts'
import type { Choices } from './choices.ts'
import type { Faults } from './faults.ts'
import type { Ledger, NoteFacts } from './ledger.ts'
import type { Scheduler } from './scheduler.ts'

/** The parts that everything in one simulated world shares. */
export interface WorldParts {
  readonly choices: Choices
  readonly scheduler: Scheduler
  readonly faults: Faults
  readonly ledger: Ledger
  /** The one store, as it is: nothing is late or fails here. */
  readonly store: Store
  readonly ids: Ids
  /** True while nothing more fits into the store. */
  readonly isDiskFull: boolean
  fillDisk(): void
  /** Has a process begin some time later in the place of one that was killed. */
  replace(): void
  /** Milliseconds that a way through the network takes. */
  latency(): number
  /** Adds a line to the story. */
  tell(who: string, what: string, facts?: NoteFacts): void
}
