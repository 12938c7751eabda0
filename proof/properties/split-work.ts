import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Checked } from './check-sequences.ts'
import type { Piece } from './worker.ts'

/** Sequences in one piece; small enough for a progress line, large enough to shrink in. */
const pieceSize = 250

/** Lets worker threads check pieces of the work, each from a seed of its own; stops after the first failure. */
export async function splitWork(
  { runs, seed }: Piece,
  threads: number,
  progressed: (done: number) => void,
): Promise<{ readonly runs: number; readonly failures: readonly Checked[] }> {
  const pieces = Array.from({ length: Math.ceil(runs / pieceSize) }, (_, index) => ({
    runs: Math.min(pieceSize, runs - index * pieceSize),
    seed: seed + index,
  }))
  const failures: Checked[] = []
  let done = 0
  const work = async () => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url))
    try {
      for (let piece = pieces.shift(); piece !== undefined && failures.length === 0; piece = pieces.shift()) {
        const checked = await answerOf(worker, piece)
        done += checked.runs
        if (checked.failed) failures.push(checked)
        progressed(done)
      }
    } finally {
      await worker.terminate()
    }
  }
  await Promise.all(Array.from({ length: threads }, work))
  return { runs: done, failures }
}

async function answerOf(worker: Worker, piece: Piece): Promise<Checked> {
  const answer = once(worker, 'message')
  worker.postMessage(piece, [])
  const [checked] = await answer
  return checked as Checked
}
