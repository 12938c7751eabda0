/** One command of a command line. Its words stand without quotes, with one blank between two words. */
export interface ShellCommand {
  readonly text: string
  /** The same command by other names: without the variables set for it, without the folder of its program. */
  readonly otherTexts: readonly string[]
}

/** The longest line that is taken apart. */
const maxLineLength = 20_000

/** How deep a line may hold commands in commands. */
const maxDepth = 8

/**
 * The commands of a line for a POSIX shell: what stands between `;`, `&`, `&&`, `|`, `||` and line ends, and what is put in
 * by `$( )` and backticks. Undefined for a line that cannot be taken apart for certain: one with words of the shell's own
 * (`if`, `{`, `eval`), a program that is computed or runs another one (`sh -c`, `xargs`), a redirect into a file, a here
 * document, or quotes without an end.
 */
export function shellCommands(line: string): readonly ShellCommand[] | undefined {
  if (line.length > maxLineLength) return undefined
  try {
    const found: ShellCommand[] = []
    new LineReader(line, 0, found).read()
    return found
  } catch (error) {
    if (error instanceof Inseparable) return undefined
    throw error
  }
}

/** A line of which nobody can tell what it runs. */
class Inseparable extends Error {}

interface Word {
  text: string
  /** True once the shell would put something in its place. */
  isComputed: boolean
  /** True where it holds no quote: it may be a word of the shell's own. */
  isBare: boolean
}

class LineReader {
  readonly #line: string
  readonly #depth: number
  readonly #found: ShellCommand[]
  #at = 0
  #words: Word[] = []
  #word: Word | undefined

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
        return this.#line[this.#at] === '>' ? this.#redirect() : this.#endCommand()
      case '#':
        if (this.#word === undefined) throw new Inseparable()
        return this.#add(char)
      case '(':
      case ')':
        throw new Inseparable()
      case '<':
      case '>':
        this.#at--
        return this.#redirect()
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

  /** A line end is joined over; whatever else follows is taken as it is. */
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
      if (char === '$') this.#dollar()
      else if (char === '`') this.#backticks()
      else if (char === '\\') {
        const next = this.#line[this.#at++]
        if (next === undefined) throw new Inseparable()
        if (next !== '\n') this.#quoted('$`"\\'.includes(next) ? next : char + next)
      } else this.#quoted(char)
    }
  }

  /** A variable's value is no command; what `$( )` runs is, and other forms may hold either. */
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

  /** The bracket that ends what `$(` began. One in quotes inside does not: where there are any, nobody guesses. */
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

  /** Streams may be joined or thrown away; whatever else is written or read by a redirect is not the command's to say. */
  #redirect(): void {
    const joined = /^(?:>&[12](?![\w/])|&?>{1,2}[ \t]*\/dev\/null(?![\w/.-]))/.exec(
      this.#line.slice(this.#at - (this.#line[this.#at - 1] === '&' ? 1 : 0)).slice(0, 40),
    )?.[0]
    if (joined === undefined) throw new Inseparable()
    if (this.#word !== undefined && /^[012]$/.test(this.#word.text)) this.#word = undefined
    this.#endWord()
    this.#at += joined.length - (this.#line[this.#at - 1] === '&' ? 1 : 0)
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

/** Programs that run what they are given, and words of the shell that do or change what words mean. */
const runners = new Set(
  `. source eval exec command builtin env sudo doas su xargs sh bash dash zsh ksh fish ash busybox nohup nice ionice
  setsid stdbuf time timeout watch chroot unshare ssh parallel script trap alias unalias enable hash function if then else
  elif fi for while until do done case esac select in coproc [[ ]] ! { } find`.split(/\s+/),
)

function commandOf(words: readonly Word[]): ShellCommand {
  const start = words.findIndex(({ text, isBare }) => !isBare || !/^\w+\+?=/.test(text))
  const program = words[start]
  // Variables that are set for the shell itself change what later commands run.
  if (program === undefined || program.isComputed) throw new Inseparable()
  const name = program.text.slice(program.text.lastIndexOf('/') + 1)
  if (runners.has(name) || /[\s;&|<>()$`]/.test(program.text)) throw new Inseparable()
  const text = words.map((word) => word.text).join(' ')
  const rest = words.slice(start + 1).map((word) => word.text)
  const others = [[program.text, ...rest].join(' '), [name, ...rest].join(' ')]
  return { text, otherTexts: [...new Set(others)].filter((other) => other !== text) }
}
