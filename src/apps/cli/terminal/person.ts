import { setTimeout } from 'node:timers/promises'
import { type Key, KeyReader } from '../chat/keys.ts'
import type { CliIo } from './cli-io.ts'

/** A person at a terminal who answers questions. */
export interface Person {
  /**
   * Resolves with the key pressed after the question was shown, in lower case; empty for Enter, and several characters
   * for a paste. Undefined if the input has ended, Ctrl-C was pressed, or the question was withdrawn.
   */
  press(question: string, withdrawn?: AbortSignal): Promise<string | undefined>
  /** Resolves with the line typed after the question was shown; undefined in the same cases. */
  ask(question: string, withdrawn?: AbortSignal): Promise<string | undefined>
  /** Releases the input, so that the process can end. */
  leave(): void
}

/** Returns the person at the terminal; nothing is read before the first question, and earlier input does not count. */
export function personAt(io: CliIo): Person {
  let opened: Keyboard | undefined
  const keyboard = () => (opened ??= new Keyboard(io))
  return {
    press: async (question, withdrawn) => (io.signal.aborted ? undefined : keyboard().press(question, withdrawn)),
    ask: async (question, withdrawn) => (io.signal.aborted ? undefined : keyboard().ask(question, withdrawn)),
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

function isOver(withdrawn: AbortSignal | undefined): boolean {
  return withdrawn?.aborted === true
}

class Keyboard {
  readonly #io: CliIo
  readonly #hear = () => this.#wake()
  readonly #forget: (() => void) | undefined
  #isOver = false
  #wake: () => void = () => {}

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
  async press(question: string, withdrawn?: AbortSignal): Promise<string | undefined> {
    this.#setRaw(true)
    try {
      if (!(await this.#discard()) || isOver(withdrawn)) return undefined
      this.#io.stdout.write(question)
      const key = await this.#key(withdrawn)
      this.#io.stdout.write(key !== undefined && /^[a-z]$/.test(key) ? `${key}\n` : '\n')
      return key
    } finally {
      this.#setRaw(false)
    }
  }

  /** Reads the next input in lower case, and skips control strings of the terminal and incomplete keys. */
  async #key(withdrawn: AbortSignal | undefined): Promise<string | undefined> {
    const reader = new KeyReader()
    for (;;) {
      const typed = await this.#next(withdrawn)
      if (typed === undefined || isLeaving(typed)) return undefined
      const keys = reader.read(typed)
      if (keys.length > 0) return keys.map(textOf).join('').trim().toLowerCase()
    }
  }

  /** Reads one line, which the person may correct before Enter. */
  async ask(question: string, withdrawn?: AbortSignal): Promise<string | undefined> {
    this.#setRaw(true)
    const goesOn = await this.#discard().finally(() => this.#setRaw(false))
    if (!goesOn || isOver(withdrawn)) return undefined
    this.#io.stdout.write(question)
    let line = ''
    while (!line.includes('\n')) {
      const typed = await this.#next(withdrawn)
      if (typed === undefined) {
        if (isOver(withdrawn)) this.#io.stdout.write('\n')
        return undefined
      }
      line += typed
    }
    return line.slice(0, line.indexOf('\n')).replace(/\r$/, '')
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

  async #next(withdrawn?: AbortSignal): Promise<string | undefined> {
    const wake = () => this.#wake()
    withdrawn?.addEventListener('abort', wake)
    try {
      while (!this.#isOver && !isOver(withdrawn)) {
        const piece = this.#io.stdin.read()
        if (piece !== null) return String(piece)
        await new Promise<void>((resolve) => (this.#wake = resolve))
      }
      return undefined
    } finally {
      withdrawn?.removeEventListener('abort', wake)
    }
  }

  #setRaw(isRaw: boolean): void {
    this.#io.stdin.setRawMode?.(isRaw)
  }
}
