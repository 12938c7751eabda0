import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
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
  const reports: SimulationReport[] = []
  const work = async () => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 96 },
    })
    try {
      for (let next = pieces.shift(); next !== undefined; next = pieces.shift()) {
        const answer = once(worker, 'message')
        worker.postMessage(next, [])
        const [report] = await answer
        reports.push(report as SimulationReport)
        if (isFirst && reports.some(({ found }) => found.length > 0)) return
      }
    } finally {
      await worker.terminate()
    }
  }
  await Promise.all(Array.from({ length: Math.min(threads, pieces.length) }, work))
  const sum = (of: (report: SimulationReport) => number) => reports.reduce((total, report) => total + of(report), 0)
  return {
    runs: sum((report) => report.runs),
    seed,
    commits: sum((report) => report.commits),
    faults: sum((report) => report.faults),
    found: reports.flatMap(({ found }) => found).toSorted((left, right) => left.seed - right.seed),
  }
}
