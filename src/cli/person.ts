import { createInterface, type Interface } from 'node:readline/promises'
import type { CliIo } from './cli-io.ts'

/** Somebody at a terminal who answers questions. */
export interface Person {
  /** The line typed; undefined once the input has ended or Ctrl-C was pressed. */
  ask(question: string): Promise<string | undefined>
  /** Gives the input back, so that the process can end. */
  leave(): void
}

/** Whoever sits at the terminal; nothing is read before the first question. */
export function personAt(io: CliIo): Person {
  let reader: Interface | undefined
  let lines: AsyncIterator<string> | undefined
  const interrupted = new Promise<undefined>((resolve) => {
    io.signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  return {
    async ask(question) {
      if (io.signal.aborted) return undefined
      reader ??= createInterface({ input: io.stdin, terminal: false })
      lines ??= reader[Symbol.asyncIterator]()
      io.stdout.write(question)
      const typed = await Promise.race([lines.next(), interrupted])
      return typed?.done === false ? typed.value : undefined
    },
    leave: () => reader?.close(),
  }
}
