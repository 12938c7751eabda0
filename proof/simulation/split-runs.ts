import { WorkerPool } from '../support/worker-pool.ts'
import type { SimulationReport } from '../../src/testing/simulation/simulate.ts'
import { type Piece, playPiece } from './play-piece.ts'

/** Simulated runs that a thread plays at once, at most. */
const largestPiece = 250

/** Has threads play runs from one seed, each thread a piece at a time. With `isFirst` it ends at the first failure. */
export async function splitRuns(piece: Piece, threads: number): Promise<SimulationReport> {
  const { runs, seed, isFirst } = piece
  const pieceSize = Math.min(largestPiece, Math.ceil(runs / Math.max(threads, 1)))
  const pieces = Array.from({ length: Math.ceil(runs / pieceSize) }, (_, index) => ({
    ...piece,
    runs: Math.min(pieceSize, runs - index * pieceSize),
    seed: seed + index * pieceSize,
  }))
  if (threads <= 1 || pieces.length <= 1) return playPiece(piece)
  const program = new URL('./worker.ts', import.meta.url)
  const width = Math.min(threads, pieces.length)
  const pool = new WorkerPool<Piece>({ program, width, resourceLimits: { maxYoungGenerationSizeMb: 96 } })
  const reports = await pool.perform<SimulationReport>(pieces, undefined, ({ found }) => isFirst && found.length > 0)
  const sum = (of: (report: SimulationReport) => number) => reports.reduce((total, report) => total + of(report), 0)
  return {
    runs: sum((report) => report.runs),
    seed,
    commits: sum((report) => report.commits),
    faults: sum((report) => report.faults),
    found: reports.flatMap(({ found }) => found).toSorted((left, right) => left.seed - right.seed),
  }
}
