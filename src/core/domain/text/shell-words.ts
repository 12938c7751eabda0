import { gap, textPattern } from './linear-match.ts'

/** One command of a command line. Its words stand without quotes, with one blank between two. */
export interface ShellCommand {
  readonly text: string
  /** The same command by other names: without the variables set for it, without the folder of its program. */
  readonly otherTexts: readonly string[]
  readonly readAgain: ReadAgain
}

/** One word of a command, as the shell would hand it to the program. */
export interface ShellWord {
  text: string
  /** True once the shell would put something in its place. */
  isComputed: boolean
  /** True if it holds no quote: it may be a word of the shell's own. */
  isBare: boolean
}

/** A line of which nobody can tell what it runs. */
export class Inseparable extends Error {}

/** Words of Bash's own, and builtins that run, evaluate or rename what they are given, or store what they read. */
const shellWords = new Set(
  `if then else elif fi for while until do done case esac select in coproc function time [[ ]] ! { }
  . source eval exec command builtin trap alias unalias enable hash bind complete compgen compopt fc history
  let read mapfile readarray getopts`.split(/\s+/),
)

/** Builtins that hand their words to nobody. */
const plain = new Set('echo printf test [ cd pwd true false :'.split(' '))

/** Programs that run what they read or find. A list of them is never whole: `readAgain` is for all others. */
const runners = new Set(
  'env sudo doas su nohup nice ionice setsid stdbuf timeout watch chroot unshare ssh script find'.split(' '),
)

/** Programs that read commands from elsewhere: behind any other program they run what no word says. */
const readers = new Set('sh bash rbash dash zsh ksh mksh fish ash csh tcsh busybox toybox xargs parallel'.split(' '))

const readerPatterns = [...readers].map(textPattern)

/** Reads the words of one command. Throws `Inseparable` if nobody can tell what it runs. */
export function commandOf(words: readonly ShellWord[]): ShellCommand {
  const start = words.findIndex(({ text, isBare }) => !isBare || !/^\w+\+?=/.test(text))
  const program = words[start]
  // Variables that are set for the shell itself change what later commands run.
  if (program === undefined || (program.isComputed && program.text !== '[')) throw new Inseparable()
  const name = program.text.slice(program.text.lastIndexOf('/') + 1)
  const others = words.slice(start + 1)
  if ([shellWords, runners, readers].some((names) => names.has(name))) throw new Inseparable()
  if (/[\s;&|<>()$`]/.test(program.text) || isEvaluating(name, others)) throw new Inseparable()
  const rest = others.map((word) => word.text)
  const text = words.map((word) => word.text).join(' ')
  const otherTexts = [[program.text, ...rest].join(' '), [name, ...rest].join(' ')]
  return {
    text,
    otherTexts: [...new Set(otherTexts)].filter((other) => other !== text),
    readAgain: readWords([program.text, name], [...words.slice(0, start).map((word) => word.text), ...rest]),
  }
}

/** Returns true if a builtin may evaluate a word: a name of a variable with an index runs the commands in the index. */
function isEvaluating(name: string, words: readonly ShellWord[]): boolean {
  const [first] = words
  switch (name) {
    case 'declare':
    case 'typeset':
    case 'local':
    case 'export':
    case 'readonly':
    case 'unset':
      return !words.every(({ text }) => /^[A-Za-z_]\w*(?:=[\w./:,@%+ -]*)?$/.test(text))
    case 'printf':
      return first !== undefined && (first.text.startsWith('-v') || (first.isComputed && /^[-$*?[{~]/.test(first.text)))
    case 'test':
    case '[':
      return words.some(({ text }) => /[[{]|\$\(|^-[vR]$/.test(text))
    case 'wait':
    case 'jobs':
      return !words.every(({ text }) => /^[%$!\w]+$/.test(text))
    default:
      return false
  }
}

/** Names and texts that a program finds in its words if it reads them as a command line, or runs one of them. */
export interface ReadAgain {
  /** The command, with a `gap` for each part that another reading replaces: by its program's path, and by its name. */
  readonly texts: readonly string[]
  /** Each name that a program to run could have; a `gap` is some text without a blank and a slash, or none. */
  readonly programs: readonly string[]
  /** True if nobody can tell which programs the words name. */
  readonly isOpaque: boolean
}

function readWords([path = '', name = '']: readonly string[], words: readonly string[]): ReadAgain {
  const programs = [...new Set(words.flatMap(programsIn))]
  const rest = words.map((word) => withGaps(word))
  const texts = new Set([path, name].map((program) => [program, ...rest].join(' ')))
  const isOpaque = (!plain.has(name) && words.some((word) => opaque.test(word))) || programs.some(isReader)
  return { texts: [...texts], programs, isOpaque }
}

function isReader(program: string): boolean {
  return program.includes(gap) ? readerPatterns.some(({ mayBegin }) => mayBegin(program)) : readers.has(program)
}

/** What only a shell could tell: commands and computed texts within the word. */
const opaque = /\$['"([]|\$\{(?!\w+\})|`/

/** Variables, globs and braces, and after them quotes and backslashes. */
const replaced = /\$\{\w+\}|\$(?:[A-Za-z_]\w*|[\d@*#?!$_-])|\*+|\?|\[[!^]?[\w.:-]{1,40}\]|([{}])|[\\'"]/g

/** A word with gaps for what is replaced. What braces hold stands on its own, too: it may be a word. */
function withGaps(text: string, forQuote = ''): string {
  return text.replace(replaced, (found, brace: string | undefined) => {
    if (brace !== undefined) return brace === '{' ? `${gap} ` : ` ${gap}`
    return found === '\\' || found === "'" || found === '"' ? forQuote : gap
  })
}

/** Each name in a word that a program could have. Quotes may join two texts or part them. */
function programsIn(text: string): readonly string[] {
  const readings = new Set([withGaps(text), withGaps(text, ' ')])
  return [text, ...[...readings].flatMap((reading) => reading.split(/[^\p{L}\p{N}_.+\-/\0]+/u))].flatMap(namesIn)
}

/** A path, the last part of it, and that as it stands behind an option of one letter. */
function namesIn(path: string): readonly string[] {
  const last = path.slice(path.lastIndexOf('/') + 1)
  const joined = /^-[A-Za-z](?=.)/.test(last) ? [last.slice(2)] : []
  const names = [last, ...joined].flatMap(cutAtGaps)
  return last === path || last === gap || last === '' ? names : [path, ...names]
}

/**
 * A name with its gaps, cut into each text between two gaps with the gaps beside it: a gap may stand for more of the name,
 * or for its end. One gap alone is no name, because no line that is read here gives a value to a variable.
 */
function cutAtGaps(name: string): readonly string[] {
  if (name === '' || name === gap) return []
  const texts = name.split(gap)
  if (texts.length === 1) return [name]
  const cut = texts.map((text, at) => `${at === 0 ? '' : gap}${text}${at === texts.length - 1 ? '' : gap}`)
  return cut.filter((one) => one !== gap && one !== '')
}
