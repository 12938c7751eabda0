import type { UIMessageChunk } from 'ai'
import type { RunTexts } from '../chat/run-response.ts'
import type { RunEncoder } from './encode-run.ts'

/** The chunks of a message as texts of Server-Sent Events. */
export function chunkTexts(encoder: RunEncoder): RunTexts {
  return {
    begin: () => textOf(encoder.begin()),
    encode: (event) => textOf(encoder.encode(event)),
    finish: () => `${textOf(encoder.finish())}data: [DONE]\n\n`,
  }
}

function textOf(chunks: readonly UIMessageChunk[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')
}
