import { WorkerPool } from '../support/worker-pool.ts'
import type { Checked } from './check-sequences.ts'
import type { Piece } from './worker.ts'

/** Sequences in one piece; small enough for a progress line, large enough to shrink in. */
const pieceSize = 250

/** Lets worker threads check pieces of the work, each from a seed of its own; stops after the first failure. */
export async function splitWork(
  { runs, seed }: Piece,
  width: number,
  progressed: (done: number) => void,
): Promise<{ readonly runs: number; readonly failures: readonly Checked[] }> {
  const pieces = Array.from({ length: Math.ceil(runs / pieceSize) }, (_, index) => ({
    runs: Math.min(pieceSize, runs - index * pieceSize),
    seed: seed + index,
  }))
  const pool = new WorkerPool<Piece>({ program: new URL('./worker.ts', import.meta.url), width })
  let done = 0
  const results = await pool.perform<Checked>(pieces, undefined, (checked) => {
    done += checked.runs
    progressed(done)
    return checked.failed
  })
  return { runs: done, failures: results.filter(({ failed }) => failed) }
}
