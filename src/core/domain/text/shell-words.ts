import { gap, textPattern } from './linear-match.ts'

/** One command of a command line. Its words have no quotes and are separated by one blank. */
export interface ShellCommand {
  readonly text: string
  /** Other names of the same command: without the variables set for it, and without the folder of its program. */
  readonly otherTexts: readonly string[]
  readonly readAgain: ReadAgain
}

/** One word of a command, as the shell passes it to the program. */
export interface ShellWord {
  text: string
  /** True if the shell would substitute a part of it. */
  isComputed: boolean
  /** True if it has no quotes, so that it may be a keyword of the shell. */
  isBare: boolean
}

/** Thrown for a line whose programs cannot be determined. */
export class Inseparable extends Error {}

/** Bash keywords, and builtins that run, evaluate or rename their words, or store their input. */
const shellWords = new Set(
  `if then else elif fi for while until do done case esac select in coproc function time [[ ]] ! { }
  . source eval exec command builtin trap alias unalias enable hash bind complete compgen compopt fc history
  let read mapfile readarray getopts`.split(/\s+/),
)

/** Builtins that do not pass their words on. */
const plain = new Set('echo printf test [ cd pwd true false :'.split(' '))

/** Programs that run what they read or find. Such a list is never complete: `readAgain` handles all others. */
const runners = new Set(
  'env sudo doas su nohup nice ionice setsid stdbuf timeout watch chroot unshare ssh script find'.split(' '),
)

/** Programs that read commands from elsewhere; as a word of another program, they may run any command. */
const readers = new Set('sh bash rbash dash zsh ksh mksh fish ash csh tcsh busybox toybox xargs parallel'.split(' '))

const readerPatterns = [...readers].map(textPattern)

/** Returns the command of some words. Throws `Inseparable` if its program cannot be determined. */
export function commandOf(words: readonly ShellWord[]): ShellCommand {
  const start = words.findIndex(({ text, isBare }) => !isBare || !/^\w+\+?=/.test(text))
  const program = words[start]
  // Variables of the shell itself change what later commands run.
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

/** Returns true if a builtin may evaluate a word: a variable name with an index runs the commands in the index. */
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

/** Names and texts that a program finds in its words if it parses them as a command line or runs one of them. */
export interface ReadAgain {
  /** The command, with a `gap` for each part that another evaluation replaces: by its program's path, and by name. */
  readonly texts: readonly string[]
  /** The possible names of a program to run; a `gap` is any text without blanks and slashes. */
  readonly programs: readonly string[]
  /** True if the programs in the words cannot be determined. */
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

/** Parts that only a shell can evaluate: commands and computed texts within the word. */
const opaque = /\$['"([]|\$\{(?!\w+\})|`/

/** Variables, globs and braces, then quotes and backslashes. */
const replaced = /\$\{\w+\}|\$(?:[A-Za-z_]\w*|[\d@*#?!$_-])|\*+|\?|\[[!^]?[\w.:-]{1,40}\]|([{}])|[\\'"]/g

/** Returns a word with gaps for its replaced parts. The content of braces is separated, because it may be a word. */
function withGaps(text: string, forQuote = ''): string {
  return text.replace(replaced, (found, brace: string | undefined) => {
    if (brace !== undefined) return brace === '{' ? `${gap} ` : ` ${gap}`
    return found === '\\' || found === "'" || found === '"' ? forQuote : gap
  })
}

/** Returns each possible program name in a word. Quotes may join or separate two texts. */
function programsIn(text: string): readonly string[] {
  const readings = new Set([withGaps(text), withGaps(text, ' ')])
  return [text, ...[...readings].flatMap((reading) => reading.split(/[^\p{L}\p{N}_.+\-/\0]+/u))].flatMap(namesIn)
}

/** Returns a path, its last part, and that part without an option of one letter in front of it. */
function namesIn(path: string): readonly string[] {
  const last = path.slice(path.lastIndexOf('/') + 1)
  const joined = /^-[A-Za-z](?=.)/.test(last) ? [last.slice(2)] : []
  const names = [last, ...joined].flatMap(cutAtGaps)
  return last === path || last === gap || last === '' ? names : [path, ...names]
}

/**
 * Returns the texts between a name's gaps, each with its adjacent gaps, because a gap may be more of the name or its
 * end. A single gap is not a name, because no parsed line assigns a variable.
 */
function cutAtGaps(name: string): readonly string[] {
  if (name === '' || name === gap) return []
  const texts = name.split(gap)
  if (texts.length === 1) return [name]
  const cut = texts.map((text, at) => `${at === 0 ? '' : gap}${text}${at === texts.length - 1 ? '' : gap}`)
  return cut.filter((one) => one !== gap && one !== '')
}
