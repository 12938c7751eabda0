import { simulate, type SimulationReport } from '../../src/testing/simulation/simulate.ts'
import { nextAgent, outside, simulatedAgent } from './simulated-agent.ts'

/** A piece of the work: so many runs from one seed. */
export interface Piece {
  readonly runs: number
  readonly seed: number
  /** Ends at the first failure. */
  readonly isFirst: boolean
}

/** Plays a piece with the agents of this project. */
export function playPiece({ runs, seed, isFirst }: Piece): Promise<SimulationReport> {
  return simulate(simulatedAgent, { runs, seed, untilFound: isFirst, next: nextAgent, outside })
}
