import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { simulate, type SimulationReport } from '../../src/testing/simulation/simulate.ts'
import { chooseAgent, nextAgent, simulatedAgent } from './simulated-agent.ts'

/** A piece of the work: so many runs from one seed. */
export interface Piece {
  readonly runs: number
  readonly seed: number
  /** Ends at the first failure. */
  readonly isFirst: boolean
  /** Plays on SQLite in memory, in place of the store in memory. */
  readonly isSqlite: boolean
}

/** Plays a piece with the agents of this project. */
export function playPiece({ runs, seed, isFirst, isSqlite }: Piece): Promise<SimulationReport> {
  return simulate(simulatedAgent, {
    runs,
    seed,
    untilFound: isFirst,
    next: nextAgent,
    outside: chooseAgent,
    ...(isSqlite && { store: inSql }),
  })
}

function inSql(clock: Pick<Clock, 'now'>): Store {
  return sqliteStore(':memory:', { clock })
}
