import { parentPort } from 'node:worker_threads'
import { type Piece, playPiece } from './play-piece.ts'

// Nobody reads the stacks of the errors of so many runs, and they take a seventh of the time.
Error.stackTraceLimit = 0

parentPort?.on('message', (piece: Piece) => {
  void playPiece(piece).then((report) => parentPort?.postMessage(report, []))
})
