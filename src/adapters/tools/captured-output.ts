import { StringDecoder } from 'node:string_decoder'
import type { RedactedStream } from '../../core/domain/text/redactor.ts'

/** The maximum number of bytes that are kept of each output stream of a command. */
export const outputLimit = 262_144

/** Receives the bytes of one stream, keeps the first of them as text without secrets, and passes each kept piece on. */
export class CapturedOutput {
  readonly #decoder = new StringDecoder('utf8')
  readonly #masked: RedactedStream
  readonly #onText: (text: string) => void
  readonly #pieces: string[] = []
  #bytes = 0

  constructor(masked: RedactedStream, onText: (text: string) => void) {
    this.#masked = masked
    this.#onText = onText
  }

  get bytes(): number {
    return this.#bytes
  }

  get isCut(): boolean {
    return this.#bytes > outputLimit
  }

  take(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, Math.max(0, outputLimit - this.#bytes))
    this.#bytes += bytes.length
    if (kept.length === 0) return
    this.#add(this.#masked.push(this.#decoder.write(Buffer.from(kept.buffer, kept.byteOffset, kept.length))))
  }

  /** Returns the kept text, without the rest of a cut character or secret. */
  end(): string {
    if (!this.isCut) this.#add(this.#masked.push(this.#decoder.end()) + this.#masked.end())
    return this.#pieces.join('')
  }

  #add(text: string): void {
    if (text === '') return
    this.#pieces.push(text)
    this.#onText(text)
  }
}
