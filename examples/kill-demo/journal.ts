import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'

/** One line of the journal: an effect with its key. */
export interface JournalLine {
  readonly toolName: string
  readonly callId: string
  readonly idempotencyKey: string
  readonly text: string
}

/** A real file that tools append to; only lines on disk count as done. */
export class Journal {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  append({ toolName, callId, idempotencyKey, text }: JournalLine): void {
    const file = openSync(this.#path, 'a')
    try {
      writeSync(file, `${JSON.stringify({ toolName, callId, idempotencyKey, text })}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }

  lines(): readonly JournalLine[] {
    if (!existsSync(this.#path)) return []
    const text = readFileSync(this.#path, 'utf8')
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JournalLine)
  }
}
