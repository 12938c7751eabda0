import { parentPort } from 'node:worker_threads'
import { type Piece, playPiece } from './play-piece.ts'

parentPort?.on('message', (piece: Piece) => {
  void playPiece(piece).then((report) => parentPort?.postMessage(report, []))
})
