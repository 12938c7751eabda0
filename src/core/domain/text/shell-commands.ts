import { gap } from './linear-match.ts'
import { commandOf, Inseparable, type ShellCommand, type ShellWord } from './shell-words.ts'

/** The maximum length of a parsed line. */
const maxLineLength = 20_000

/** The maximum depth of nested commands. */
const maxDepth = 8

/**
 * Returns the Bash commands of a line: between `;`, `&`, `&&`, `|`, `||` and line ends, and within `$( )` and
 * backticks. Returns undefined for a line that cannot be parsed with certainty: one with keywords of the shell (`if`,
 * `{`, `eval`), a computed program or one that reads commands (`sh -c`, `xargs`), a builtin that evaluates its words, a
 * redirect into a file, a here document, or unclosed quotes.
 */
export function shellCommands(line: string): readonly ShellCommand[] | undefined {
  if (line.length > maxLineLength || line.includes(gap) || line.includes('\u0001')) return undefined
  try {
    const found: ShellCommand[] = []
    new LineReader(line, 0, found).read()
    return found
  } catch (error) {
    if (error instanceof Inseparable) return undefined
    throw error
  }
}

/** The word in progress. */
type OpenWord = { -readonly [Field in keyof ShellWord]: ShellWord[Field] }

class LineReader {
  readonly #line: string
  readonly #depth: number
  readonly #found: ShellCommand[]
  #at = 0
  #words: ShellWord[] = []
  #word: OpenWord | undefined

  constructor(line: string, depth: number, found: ShellCommand[]) {
    if (depth > maxDepth) throw new Inseparable()
    this.#line = line
    this.#depth = depth
    this.#found = found
  }

  read(): void {
    while (this.#at < this.#line.length) this.#readNext()
    this.#endCommand()
  }

  #readNext(): void {
    const char = this.#line[this.#at++] ?? ''
    switch (char) {
      case ' ':
      case '\t':
        return this.#endWord()
      case '\n':
      case '\r':
      case ';':
      case '|':
        return this.#endCommand()
      case '&':
        return this.#line[this.#at] === '>' ? this.#redirect(this.#at - 1) : this.#endCommand()
      case '#':
        if (this.#word === undefined) throw new Inseparable()
        return this.#add(char)
      case '(':
      case ')':
        throw new Inseparable()
      case '<':
      case '>':
        return this.#redirect(this.#at - 1)
      case '\\':
        return this.#escape()
      case "'":
        return this.#singleQuoted()
      case '"':
        return this.#doubleQuoted()
      case '$':
        return this.#dollar()
      case '`':
        return this.#backticks()
      case '*':
      case '?':
      case '[':
      case '{':
      case '~':
        this.#add(char)
        return this.#compute()
      default:
        return this.#add(char)
    }
  }

  /** Reads an escape: a line end is dropped, and any other character is literal. */
  #escape(): void {
    const next = this.#line[this.#at++]
    if (next === undefined) throw new Inseparable()
    if (next !== '\n') this.#quoted(next)
  }

  #singleQuoted(): void {
    const end = this.#line.indexOf("'", this.#at)
    if (end === -1) throw new Inseparable()
    this.#quoted(this.#line.slice(this.#at, end))
    this.#at = end + 1
  }

  #doubleQuoted(): void {
    this.#quoted('')
    for (;;) {
      const char = this.#line[this.#at++]
      if (char === undefined) throw new Inseparable()
      if (char === '"') return
      // A quote after `$` has no special meaning within double quotes.
      if (char === '$' && /["']/.test(this.#line[this.#at] ?? '')) this.#quoted(char)
      else if (char === '$') this.#dollar()
      else if (char === '`') this.#backticks()
      else if (char === '\\') {
        const next = this.#line[this.#at++]
        if (next === undefined) throw new Inseparable()
        if (next !== '\n') this.#quoted('$`"\\'.includes(next) ? next : char + next)
      } else this.#quoted(char)
    }
  }

  /** Reads a `$`: a variable's value is not a command, the content of `$( )` is one, and other forms may be either. */
  #dollar(): void {
    const next = this.#line[this.#at]
    if (next === '(') {
      if (this.#line[this.#at + 1] === '(') throw new Inseparable()
      return this.#inner(this.#at + 1, this.#endOfSubstitution(this.#at + 1))
    }
    if (next === '{') {
      const found = /^\{\w+\}/.exec(this.#line.slice(this.#at, this.#at + 200))?.[0]
      if (found === undefined) throw new Inseparable()
      this.#at += found.length
      this.#add(`$${found}`)
    } else if (next === "'" || next === '"' || next === '[') throw new Inseparable()
    else this.#add('$')
    this.#compute()
  }

  #backticks(): void {
    const end = this.#line.indexOf('`', this.#at)
    if (end === -1 || this.#line.slice(this.#at, end).includes('\\')) throw new Inseparable()
    this.#inner(this.#at, end)
  }

  #inner(start: number, end: number): void {
    new LineReader(this.#line.slice(start, end), this.#depth + 1, this.#found).read()
    this.#add('$()')
    this.#compute()
    this.#at = end + 1
  }

  /**
   * Returns the position of the bracket that closes `$(`. A bracket in quotes does not close it; a content with nested
   * quotes is not parsed.
   */
  #endOfSubstitution(start: number): number {
    let depth = 1
    for (let at = start; at < this.#line.length; at++) {
      const char = this.#line[at] ?? ''
      if ('\'"`\\'.includes(char)) {
        const end = char === "'" || char === '"' ? this.#line.indexOf(char, at + 1) : -1
        if (end === -1 || /[\\()`$]/.test(this.#line.slice(at + 1, end))) throw new Inseparable()
        at = end
      } else if (char === '(') depth++
      else if (char === ')' && --depth === 0) return at
    }
    throw new Inseparable()
  }

  /**
   * Reads a redirect. Only joining or discarding streams is allowed. Any other redirect writes or reads files that no
   * rule names, and so does one with more text at its end: `>&1.x` is a file.
   */
  #redirect(start: number): void {
    const joined = /^(?:>&[12]|&?>{1,2}[ \t]{0,20}\/dev\/null)(?=[ \t\n;&|<>]|$)/.exec(
      this.#line.slice(start, start + 60),
    )?.[0]
    const { text = '', isBare } = this.#word ?? {}
    // `{name}>` assigns a variable.
    if (joined === undefined || text.endsWith('}')) throw new Inseparable()
    if (isBare === true && /^\d+$/.test(text)) this.#word = undefined
    this.#endWord()
    this.#at = start + joined.length
  }

  #add(text: string): void {
    this.#word ??= { text: '', isComputed: false, isBare: true }
    this.#word.text += text
  }

  #quoted(text: string): void {
    this.#add(text.replace(/[\r\n]/g, ' '))
    if (this.#word !== undefined) this.#word.isBare = false
  }

  #compute(): void {
    if (this.#word !== undefined) this.#word.isComputed = true
  }

  #endWord(): void {
    if (this.#word !== undefined) this.#words.push(this.#word)
    this.#word = undefined
  }

  #endCommand(): void {
    this.#endWord()
    const words = this.#words
    this.#words = []
    if (words.length > 0) this.#found.push(commandOf(words))
  }
}
