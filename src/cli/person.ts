import { setImmediate } from 'node:timers/promises'
import { createInterface, type Interface } from 'node:readline'
import type { CliIo } from './cli-io.ts'

/** Somebody at a terminal who answers questions. */
export interface Person {
  /** The line typed after the question was shown; undefined once the input has ended or Ctrl-C was pressed. */
  ask(question: string): Promise<string | undefined>
  /** Gives the input back, so that the process can end. */
  leave(): void
}

/** Whoever sits at the terminal; nothing is read before the first question, and nothing typed before it counts. */
export function personAt(io: CliIo): Person {
  let lines: TypedLines | undefined
  return {
    async ask(question) {
      if (io.signal.aborted) return undefined
      lines ??= new TypedLines(io)
      await lines.discard()
      io.stdout.write(question)
      return await lines.next()
    },
    leave: () => lines?.close(),
  }
}

/** The lines somebody types, as they come. */
class TypedLines {
  readonly #reader: Interface
  readonly #lines: string[] = []
  #isOver = false
  #wake: () => void = () => {}

  constructor({ stdin, signal }: CliIo) {
    this.#reader = createInterface({ input: stdin, terminal: false })
    this.#reader.on('line', (line) => this.#tell(() => this.#lines.push(line)))
    this.#reader.on('close', () => this.#tell(() => (this.#isOver = true)))
    signal.addEventListener('abort', () => this.close(), { once: true })
  }

  /** Forgets what was typed so far: a terminal hands it over line by line, a turn of the event loop each. */
  async discard(): Promise<void> {
    for (let quietTurns = 0; quietTurns < 4; quietTurns++) {
      if (this.#lines.length > 0) quietTurns = 0
      this.#lines.length = 0
      await setImmediate()
    }
    this.#lines.length = 0
  }

  async next(): Promise<string | undefined> {
    while (this.#lines.length === 0 && !this.#isOver) await new Promise<void>((resolve) => (this.#wake = resolve))
    return this.#lines.shift()
  }

  close(): void {
    this.#reader.close()
  }

  #tell(change: () => void): void {
    change()
    this.#wake()
  }
}
