import { setImmediate, setTimeout } from 'node:timers/promises'
import { type Key, KeyReader } from '../chat/keys.ts'
import type { CliIo } from './cli-io.ts'
import type { Dialog } from './dialog.ts'

/** A person at a terminal; nothing is read before the first question, and earlier input does not count. */
export interface Person extends Dialog {
  /** Returns the last key to the input, so that the next reader receives it. */
  giveBack(): void
  /** Releases the input, so that the process can end. */
  leave(): void
}

/** Returns the person at the terminal. */
export function personAt(io: CliIo): Person {
  let opened: Keyboard | undefined
  const keyboard = () => (opened ??= new Keyboard(io))
  return {
    key: async (question) => (io.signal.aborted ? undefined : keyboard().key(question)),
    line: async (question) => (io.signal.aborted ? undefined : keyboard().line(question)),
    print: (text) => void io.stdout.write(`${text}\n`),
    lend: async (work) => await (opened?.lend(work) ?? work()),
    withdraw: () => opened?.withdraw(),
    over: () => opened?.over(),
    giveBack: () => opened?.giveBack(),
    leave: () => opened?.close(),
  }
}

/** Milliseconds within which the kernel delivers the content of a terminal's line buffer. */
const handoverMs = 30

/** Ctrl-C and Ctrl-D, which a terminal in raw mode delivers as characters. */
const leavingKeys = ['\u0003', '\u0004']

function isLeaving(typed: string): boolean {
  return leavingKeys.some((key) => typed.includes(key))
}

/** Returns the text of a key; a named key is Enter, or returns its name. */
function textOf(key: Key): string {
  if (key.kind !== 'named') return key.text
  return key.name === 'enter' || key.name === 'newline' ? '' : key.name
}

class Keyboard {
  readonly #io: CliIo
  readonly #hear = () => this.#wake()
  readonly #forget: (() => void) | undefined
  #isOver = false
  #isWithdrawn = false
  #wake: () => void = () => {}
  #typed = ''

  constructor(io: CliIo) {
    this.#io = io
    const { stdin, signal } = io
    stdin.setEncoding('utf8')
    stdin.on('readable', this.#hear)
    for (const end of ['end', 'close', 'error']) stdin.on(end, () => this.close())
    signal.addEventListener('abort', () => this.close(), { once: true })
    this.#forget = io.onTermination?.(() => this.#setRaw(false))
  }

  /** Reads one key in raw mode, because a terminal in line mode would hold it until Enter. */
  async key(question: string): Promise<string | undefined> {
    this.#setRaw(true)
    try {
      if (!(await this.#discard()) || this.#isWithdrawn) return undefined
      this.#io.stdout.write(question)
      const key = await this.#key()
      this.#io.stdout.write(key !== undefined && /^[a-z]$/.test(key) ? `${key}\n` : '\n')
      return key
    } finally {
      this.#setRaw(false)
    }
  }

  /** Reads the next input in lower case, and skips control strings of the terminal and incomplete keys. */
  async #key(): Promise<string | undefined> {
    const reader = new KeyReader()
    for (;;) {
      const typed = await this.#next()
      if (typed === undefined || isLeaving(typed)) return undefined
      this.#typed = typed
      const keys = reader.read(typed)
      if (keys.length > 0) return keys.map(textOf).join('').trim().toLowerCase()
    }
  }

  /** Reads one line, which the person may correct before Enter. */
  async line(question: string): Promise<string | undefined> {
    this.#setRaw(true)
    const goesOn = await this.#discard().finally(() => this.#setRaw(false))
    if (!goesOn || this.#isWithdrawn) return undefined
    this.#io.stdout.write(question)
    let line = ''
    while (!line.includes('\n')) {
      const typed = await this.#next()
      if (typed === undefined) {
        if (this.#isWithdrawn) this.#io.stdout.write('\n')
        return undefined
      }
      line += typed
    }
    return line.slice(0, line.indexOf('\n')).replace(/\r$/, '')
  }

  giveBack(): void {
    this.#io.stdin.unshift(this.#typed)
  }

  withdraw(): void {
    this.#isWithdrawn = true
    this.#wake()
  }

  over(): void {
    this.#isWithdrawn = false
  }

  async lend<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#rest()
    return await work().finally(() => this.#io.stdin.on('readable', this.#hear))
  }

  /** Stops reading, so that another program may read. The stream notices one turn later that there is no listener. */
  async #rest(): Promise<void> {
    const { stdin } = this.#io
    stdin.off('readable', this.#hear)
    await setImmediate()
    stdin.pause()
  }

  close(): void {
    this.#isOver = true
    this.#io.stdin.removeListener('readable', this.#hear)
    this.#io.stdin.pause()
    this.#forget?.()
    this.#wake()
  }

  /** Discards the input; returns false for Ctrl-C. The kernel delivers a partial line only in raw mode. */
  async #discard(): Promise<boolean> {
    const { stdin } = this.#io
    let typed = ''
    const drain = () => {
      for (let piece = stdin.read(); piece !== null; piece = stdin.read()) typed += String(piece)
    }
    drain()
    if (stdin.setRawMode !== undefined) await setTimeout(handoverMs)
    drain()
    return !isLeaving(typed)
  }

  async #next(): Promise<string | undefined> {
    while (!this.#isOver && !this.#isWithdrawn) {
      const piece = this.#io.stdin.read()
      if (piece !== null) return String(piece)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    return undefined
  }

  #setRaw(isRaw: boolean): void {
    this.#io.stdin.setRawMode?.(isRaw)
  }
}
