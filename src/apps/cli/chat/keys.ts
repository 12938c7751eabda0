/** Input from the keyboard: a character, several pasted characters, or a named key. */
export type Key =
  | { readonly kind: 'character' | 'paste'; readonly text: string }
  | { readonly kind: 'named'; readonly name: KeyName }

/** The keys that the chat knows; other keys are ignored. */
export type KeyName = (typeof sequences)[keyof typeof sequences] | 'escape'

/** The sequences that terminals send for the keys. */
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
  // A word further with Control or Alt, as xterm, tmux, screen, the Linux console and rxvt send it.
  '\u001b[1;5D': 'wordLeft',
  '\u001b[1;3D': 'wordLeft',
  '\u001b[5D': 'wordLeft',
  '\u001bOd': 'wordLeft',
  '\u001bb': 'wordLeft',
  '\u001b[1;5C': 'wordRight',
  '\u001b[1;3C': 'wordRight',
  '\u001b[5C': 'wordRight',
  '\u001bOc': 'wordRight',
  '\u001bf': 'wordRight',
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  '\u001b[H': 'home',
  '\u001bOH': 'home',
  '\u001b[1~': 'home',
  '\u001b[7~': 'home',
  '\u0001': 'home',
  '\u001b[F': 'end',
  '\u001bOF': 'end',
  '\u001b[4~': 'end',
  '\u001b[8~': 'end',
  '\u0005': 'end',
  '\u000b': 'cutAfter',
  '\u0015': 'cutBefore',
  '\u0017': 'cutWord',
  '\u0003': 'interrupt',
  '\u0004': 'endOfInput',
  '\u000c': 'redraw',
  '\u0012': 'search',
  '\t': 'complete',
} as const

const pasteStart = '\u001b[200~'
const pasteEnd = '\u001b[201~'

/** The maximum number of characters in one paste; further characters are dropped. */
const mostPasted = 1_000_000

/** The maximum number of characters in one control string of the terminal; after that, input counts as keys again. */
const longestString = 1_000_000

/** The maximum milliseconds between the parts of a key's sequence; after that, Escape counts as a key. */
const sequenceMs = 50

/** The maximum milliseconds between the parts of a terminal's control string, for slow connections too. */
const stringMs = 1_000

/** Parses keys from a terminal's input; a sequence may arrive in parts. */
export class KeyReader {
  #rest = ''
  #pasted: string | undefined
  /** The number of skipped characters of an open control string, such as a terminal's reply; else undefined. */
  #skipped: number | undefined

  /** Returns the keys that a piece of input completes. */
  read(piece: string): readonly Key[] {
    this.#rest += piece
    const keys: Key[] = []
    while (this.#rest !== '') {
      const key = this.#isInString ? this.#skip() : this.#pasted === undefined ? this.#next() : this.#paste()
      if (key === 'more') break
      if (key !== undefined) keys.push(key)
    }
    return keys
  }

  /** The milliseconds to wait for the rest of an open sequence; undefined outside of a sequence. */
  get waitMs(): number | undefined {
    if (this.#isInString) return stringMs
    return this.#pasted === undefined && this.#rest.startsWith('\u001b') ? sequenceMs : undefined
  }

  /** Abandons an open sequence. Returns the Escape key if there was only that; its characters are no key otherwise. */
  leaveSequence(): Key | undefined {
    if (this.waitMs === undefined) return undefined
    const isAlone = this.#rest === '\u001b' && !this.#isInString
    this.#rest = ''
    this.#skipped = undefined
    return isAlone ? { kind: 'named', name: 'escape' } : undefined
  }

  get #isInString(): boolean {
    return this.#skipped !== undefined
  }

  /** Skips a control string to its end: BEL, the string terminator, or the control character of a key. */
  #skip(): 'more' | undefined {
    const rest = this.#rest
    const room = longestString - (this.#skipped ?? 0)
    // oxlint-disable-next-line no-control-regex
    const length = rest.search(/[\0-\u0007\u000e-\u001f\u009c]/)
    if (length < 0 && rest.length < room) {
      this.#skipped = (this.#skipped ?? 0) + rest.length
      this.#rest = ''
      return 'more'
    }
    if (length >= 0 && rest.slice(length) === '\u001b') {
      this.#take(length)
      return 'more'
    }
    this.#skipped = undefined
    // oxlint-disable-next-line no-control-regex
    const end = length < 0 ? rest : (/^(?:\u0007|\u009c|\u001b\\)/.exec(rest.slice(length))?.[0] ?? '')
    this.#take(Math.max(length, 0) + end.length)
    return undefined
  }

  #next(): Key | 'more' | undefined {
    const rest = (this.#rest = asEscaped(this.#rest))
    // oxlint-disable-next-line no-control-regex
    if (/^\u001b[\]PX^_]/.test(rest)) {
      this.#take(2)
      this.#skipped = 0
      return undefined
    }
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

  /** Reads a paste, whose line breaks arrive as the Enter key. */
  #paste(): Key | 'more' | undefined {
    const end = this.#rest.indexOf(pasteEnd)
    // The end mark may have arrived in part.
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

/** Returns the sequence at the beginning of a text, or undefined if it is incomplete, such as a single Escape. */
function wholeSequence(text: string): string | undefined {
  // oxlint-disable-next-line no-control-regex
  if (/^\u001b(?:\[(?:[0-?]{0,30}[ -/]{0,4}|\[|M[^]{0,2})|O)?$/u.test(text)) return undefined
  // oxlint-disable-next-line no-control-regex
  const whole = /^\u001b(?:\[(?:\[[A-E]|M[^]{3}|[0-?]{0,30}[ -/]{0,4}[@-~])|O[A-Za-z]|[^[O\u001b])/u.exec(text)
  return whole?.[0] ?? '\u001b'
}

/** Converts a single control character that begins a sequence to its common form: Escape and a letter. */
function asEscaped(text: string): string {
  return text.replace(/^[\u008f\u0090\u0098\u009b\u009d-\u009f]/, (begin) => {
    return `\u001b${String.fromCharCode(begin.charCodeAt(0) - 0x40)}`
  })
}

function isSequence(text: string): text is keyof typeof sequences {
  return Object.hasOwn(sequences, text)
}

/** Returns true for Ctrl-C and Ctrl-D. */
export function isLeaving(key: Key): boolean {
  return key.kind === 'named' && (key.name === 'interrupt' || key.name === 'endOfInput')
}
