import { parentPort } from 'node:worker_threads'
import { checkSequences } from './check-sequences.ts'

/** A piece of the work: so many sequences from one seed. */
export interface Piece {
  readonly runs: number
  readonly seed: number
}

parentPort?.on('message', (piece: Piece) => {
  void checkSequences(piece).then((checked) => parentPort?.postMessage(checked, []))
})
