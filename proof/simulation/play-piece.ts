import { simulate, type SimulationReport } from '../../src/testing/simulation/simulate.ts'
import { nextAgents, simulatedAgents } from './simulated-agents.ts'

/** A piece of the work: so many runs from one seed. */
export interface Piece {
  readonly runs: number
  readonly seed: number
  /** Ends at the first failure. */
  readonly isFirst: boolean
}

/** Plays a piece with the agents of this project. */
export function playPiece({ runs, seed, isFirst }: Piece): Promise<SimulationReport> {
  return simulate(simulatedAgents, { runs, seed, untilFound: isFirst, next: nextAgents })
}
