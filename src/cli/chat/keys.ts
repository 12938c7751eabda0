/** What comes from the keyboard: a character, several that were pasted, or a key that has a name. */
export type Key =
  | { readonly kind: 'character' | 'paste'; readonly text: string }
  | { readonly kind: 'named'; readonly name: KeyName }

/** Keys the chat knows; any other is left out. */
export type KeyName = (typeof sequences)[keyof typeof sequences]

/** What terminals send for them. */
const sequences = {
  '\r': 'enter',
  '\n': 'newline',
  '\u001b\r': 'newline',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u001b[3~': 'delete',
  '\u001b[D': 'left',
  '\u001bOD': 'left',
  '\u001b[C': 'right',
  '\u001bOC': 'right',
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  '\u001b[H': 'home',
  '\u001bOH': 'home',
  '\u0001': 'home',
  '\u001b[F': 'end',
  '\u001bOF': 'end',
  '\u0005': 'end',
  '\u000b': 'cutAfter',
  '\u0015': 'cutBefore',
  '\u0017': 'cutWord',
  '\u0003': 'interrupt',
  '\u0004': 'endOfInput',
  '\u000c': 'redraw',
} as const

const pasteStart = '\u001b[200~'
const pasteEnd = '\u001b[201~'

/** The most characters of one paste; what comes behind them is left out. */
const mostPasted = 1_000_000

/** Reads keys out of what a terminal sends; a sequence may come in parts. */
export class KeyReader {
  #rest = ''
  #pasted: string | undefined

  /** The keys a piece of input completes. */
  read(piece: string): readonly Key[] {
    this.#rest += piece
    const keys: Key[] = []
    while (this.#rest !== '') {
      const key = this.#pasted === undefined ? this.#next() : this.#paste()
      if (key === 'more') break
      if (key !== undefined) keys.push(key)
    }
    return keys
  }

  /** True where a sequence has begun and not ended, which may be the Escape key by itself. */
  get isInside(): boolean {
    return this.#pasted === undefined && this.#rest.startsWith('\u001b')
  }

  /** Takes it that the sequence does not go on: what came of it is a key that the chat does not know. */
  leaveSequence(): void {
    if (this.isInside) this.#rest = ''
  }

  #next(): Key | 'more' | undefined {
    const rest = this.#rest
    if (rest.startsWith(pasteStart)) {
      this.#take(pasteStart.length)
      this.#pasted = ''
      return undefined
    }
    const sequence = rest.startsWith('\u001b') ? wholeSequence(rest) : [...rest.slice(0, 2)][0]
    if (sequence === undefined) return 'more'
    this.#take(sequence.length)
    if (isSequence(sequence)) return { kind: 'named', name: sequences[sequence] }
    return /^[\p{Cc}]/u.test(sequence) ? undefined : { kind: 'character', text: sequence }
  }

  /** The line breaks of a paste come as the Enter key. */
  #paste(): Key | 'more' | undefined {
    const end = this.#rest.indexOf(pasteEnd)
    // The end may have come in part.
    const length = end >= 0 ? end : Math.max(0, this.#rest.length - pasteEnd.length)
    this.#pasted = `${this.#pasted ?? ''}${this.#rest.slice(0, length)}`.slice(0, mostPasted)
    this.#take(length)
    if (end < 0) return 'more'
    this.#take(pasteEnd.length)
    const text = this.#pasted.replaceAll(/\r\n?/g, '\n')
    this.#pasted = undefined
    return text === '' ? undefined : { kind: 'paste', text }
  }

  #take(length: number): void {
    this.#rest = this.#rest.slice(length)
  }
}

/** The sequence a text begins with; undefined where more of it has to come, as after an Escape by itself. */
function wholeSequence(text: string): string | undefined {
  // oxlint-disable-next-line no-control-regex
  const whole = /^\u001b(?:\[[0-?]{0,30}[ -/]{0,4}[@-~]|O[A-Za-z]|[^[O])/u.exec(text)?.[0]
  if (whole !== undefined) return whole
  // oxlint-disable-next-line no-control-regex
  return /^\u001b(?:\[[0-?]{0,30}[ -/]{0,4}|O)?$/.test(text) ? undefined : '\u001b'
}

function isSequence(text: string): text is keyof typeof sequences {
  return Object.hasOwn(sequences, text)
}
