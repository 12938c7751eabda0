import type { Json } from '../../domain/text/json.ts'

/** A text is read as JSON again after it has grown by one part in this many. */
const growth = 256

/** The maximum number of characters before a text turns out to be JSON or not: blanks and a code fence. */
const longestHead = 100

/**
 * Reads a JSON object or list while it streams. Each piece is read once, and the complete part is parsed when the text
 * has grown by a 256th, so the total time is proportional to the length of the answer. A string counts as far as it has
 * arrived; a number, a word or a field name counts once it is complete.
 */
export class PartialOutput {
  #head = ''
  #text = ''
  #isStarted = false
  #isOver = false
  /** The closing brackets of the open ones, the outermost first. */
  readonly #closers: string[] = []
  #isString = false
  /** The number of missing characters of an escape. */
  #escape = 0
  #isName = false
  /** The place where the text and the closers make JSON. */
  #cut = 0
  /** The place where an open string may end, before an unfinished escape. */
  #textCut = 0
  #isScalar = false
  #readLength = 0
  #read = ''

  /** Adds a piece of the answer; returns the value so far if it has changed. */
  add(piece: string): Json | undefined {
    if (this.#isOver) return undefined
    const fresh = this.#isStarted ? piece : this.#start(piece)
    if (fresh === undefined) return undefined
    const from = this.#text.length
    this.#text += fresh
    for (let at = 0; at < fresh.length && !this.#isOver; at++) this.#look(fresh.charAt(at), from + at)
    return this.#parse()
  }

  /** Returns the text from the first bracket; undefined for an answer that does not begin with one. */
  #start(piece: string): string | undefined {
    this.#head += piece
    const found = /^\s*(?:```(?:json)?[^\S\n]*\n\s*)?(?=[{[])/.exec(this.#head)
    this.#isStarted = found !== null
    if (found !== null) return this.#head.slice(found[0].length)
    this.#isOver = this.#head.length > longestHead || !/^\s*(?:`{1,3}(?:j(?:s(?:on?)?)?)?\s*)?$/.test(this.#head)
    return undefined
  }

  #look(letter: string, at: number): void {
    if (this.#isString) return this.#lookInString(letter, at)
    if (letter === '"') {
      this.#isString = true
      this.#textCut = at + 1
      return
    }
    if (this.#isScalar && /[\s,\]}]/.test(letter)) {
      this.#isScalar = false
      this.#cut = at
    }
    if (letter === '{' || letter === '[') this.#open(letter, at)
    else if (letter === '}' || letter === ']') this.#close(at)
    else if (letter === ',') this.#isName = this.#closers.at(-1) === '}'
    else if (letter === ':') this.#isName = false
    else if (/\S/.test(letter)) this.#isScalar = true
  }

  #lookInString(letter: string, at: number): void {
    if (this.#escape === 1 && letter === 'u') this.#escape = 4
    else if (this.#escape > 0) this.#escape--
    else if (letter === '\\') this.#escape = 1
    else if (letter === '"') {
      this.#isString = false
      if (!this.#isName) this.#cut = at + 1
      return
    }
    if (this.#escape === 0) this.#textCut = at + 1
  }

  #open(letter: string, at: number): void {
    this.#closers.push(letter === '{' ? '}' : ']')
    this.#isName = letter === '{'
    this.#cut = at + 1
  }

  #close(at: number): void {
    this.#closers.pop()
    this.#isName = false
    this.#cut = at + 1
    this.#isOver = this.#closers.length === 0
  }

  #parse(): Json | undefined {
    const end = this.#isString && !this.#isName ? this.#textCut : this.#cut
    if (!this.#isOver && (end - this.#readLength) * growth < this.#readLength) return undefined
    const complete = this.#complete(end)
    if (complete === this.#read) return undefined
    this.#readLength = end
    this.#read = complete
    try {
      return JSON.parse(complete) as Json
    } catch {
      this.#isOver = true
      return undefined
    }
  }

  #complete(end: number): string {
    const text = this.#text.slice(0, end)
    const closers = this.#closers.toReversed().join('')
    return this.#isString && !this.#isName ? `${text}"${closers}` : text + closers
  }
}
