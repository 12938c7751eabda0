/** What is asked whether it fits a text. */
export interface Pattern {
  /** Whether the text fits. The work grows with the length of the text times the places of the pattern, and no faster. */
  test(text: string): boolean
  /** Returns true if the text could fit with some text or none in the place of each `gap`. The work is that of `test`. */
  mayFit(text: string): boolean
  /**
   * Returns true if a command line with this program could fit, whatever its words are. Each `gap` of the name is some
   * text without a blank and a slash, or none. False of every name if the pattern says nothing of programs. The work is that of `test`.
   */
  mayBegin(program: string): boolean
  /** How many places a text may have come to at once. */
  readonly places: number
}

/** Stands in a text for characters that nobody knows. */
export const gap = '\0'

/**
 * One place of a pattern. A `fork` takes nothing and may go on at the next place or elsewhere, a `jump` elsewhere alone;
 * `by` says how many places from here. A `border` is passed where the characters on both sides are as it wants them.
 */
export type Part =
  | { readonly kind: 'one'; readonly takes: (char: string) => boolean }
  | { readonly kind: 'many'; readonly takes: (char: string) => boolean }
  | { readonly kind: 'fork'; readonly by: number }
  | { readonly kind: 'jump'; readonly by: number }
  | { readonly kind: 'border'; readonly holds: (before: string | undefined, after: string | undefined) => boolean }

/** A pattern of several rows of parts, of which a text has to fit one: from its beginning to its end, or anywhere. */
export function patternOf(
  ways: readonly (readonly Part[])[],
  where: Where,
  charsOf: (text: string) => readonly string[] = (text) => [...text],
): Pattern {
  const known = (text: string) => charsOf(text.replace(/\0+/g, gap))
  const begins = ({ whole, core }: Naming, chars: readonly string[]): boolean =>
    fitsParts(core, chars, 'whole', inName) ||
    fitsParts(core, [...chars, ' '], 'start', inName) ||
    (!chars.includes(gap) && fitsParts(whole, chars, where))
  const [odd, oddLine] = [['\u0001'], ['\u0001', ' ', gap]]
  // A pattern that any program's line may fit is about words, wherever they stand.
  const isOfPrograms = !ways.some((parts) => fitsParts(parts, oddLine, where, anything))
  const naming = ways.map(namingOf).filter((parts) => !begins(parts, odd))
  return {
    test: (text) => {
      const chars = charsOf(text)
      return ways.some((parts) => fitsParts(parts, chars, where))
    },
    mayFit: (text) => {
      const chars = known(text)
      return isOfPrograms && ways.some((parts) => fitsParts(parts, chars, where, anything))
    },
    mayBegin: (program) => {
      const chars = known(program)
      return naming.some((parts) => begins(parts, chars))
    },
    places: ways.reduce((sum, parts) => sum + parts.length + 1, 0),
  }
}

/** A pattern that one text fits. */
export function textPattern(wanted: string): Pattern {
  return patternOf([[...wanted].map((char): Part => ({ kind: 'one', takes: (other) => other === char }))], 'whole')
}

/** A pattern as it is asked about names. */
interface Naming {
  /** The parts without one at the beginning that takes any text: `*rm*` names `rm`. */
  readonly whole: readonly Part[]
  /** The parts without one at the end, too: in `*.ts` the unknown part is no `rm` of `rm*`. */
  readonly core: readonly Part[]
}

function namingOf(parts: readonly Part[]): Naming {
  const isNamed = (part: Part) => part.kind !== 'many' || !part.takes(' ')
  const whole = parts.slice(parts.findIndex(isNamed))
  return { whole, core: whole.slice(0, whole.findLastIndex(isNamed) + 1) }
}

const anything = () => true
const anyInName = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).filter((char) => char !== '/')

/** True of a part that takes other characters than a blank and a slash. */
function inName(part: Taking): boolean {
  return !(part.takes(' ') || part.takes('/')) || anyInName.some((char) => part.takes(char))
}

type Taking = Extract<Part, { readonly kind: 'one' | 'many' }>

/** Which part of a text has to fit: all of it, one anywhere in it, or all of it as the start of a text that fits. */
type Where = 'whole' | 'anywhere' | 'start'

/**
 * Whether characters fit the parts of a pattern. Every place the text may have come to is walked at once, so that no way
 * through the pattern is gone twice. With `passes`, a `gap` among the characters takes the text over any number of the
 * parts that pass.
 */
function fitsParts(
  parts: readonly Part[],
  chars: readonly string[],
  where: Where,
  passes?: (part: Taking) => boolean,
): boolean {
  const seen = new Uint32Array(parts.length + 1)
  let next = [0]
  for (let at = 0; ; at++) {
    const char = chars[at]
    const over = char === gap ? passes : undefined
    const sides = passes === undefined ? [[chars[at - 1]], [char]] : [around(chars, at, -1), around(chars, at, 1)]
    const places = reached(parts, next, { seen, mark: at + 1, sides, over })
    const isThrough = seen[parts.length] === at + 1
    if (isThrough && where === 'anywhere') return true
    if (char === undefined) return isThrough || where === 'start'
    next = where === 'anywhere' ? [0] : []
    for (const place of places) {
      const part = parts[place]
      if (over !== undefined) next.push(place)
      else if (part?.kind !== 'one' && part?.kind !== 'many') continue
      else if (part.takes(char)) next.push(part.kind === 'one' ? place + 1 : place)
    }
    if (next.length === 0) return false
  }
}

type Char = string | undefined

/** The characters that may stand before (-1) or behind (1) a border in front of a character, or within it if that is a gap. */
function around(chars: readonly string[], at: number, by: -1 | 1): readonly Char[] {
  const near = by === -1 ? at - 1 : at
  if (chars[near] === gap) return [chars[near + by], 'a', ' ']
  return by === -1 && chars[at] === gap ? [chars[near], 'a', ' '] : [chars[near]]
}

interface Step {
  /** By place: the mark of the last step that came there. */
  readonly seen: Uint32Array
  readonly mark: number
  /** The characters that may stand before and behind a border. */
  readonly sides: readonly (readonly Char[])[]
  /** Passes the parts that the text goes over without a character. */
  readonly over: ((part: Taking) => boolean) | undefined
}

/** Where a text may be once it has come to some places, before the next character. */
function reached(parts: readonly Part[], from: readonly number[], step: Step): readonly number[] {
  const { seen, mark, over, sides } = step
  const [before = [], after = []] = sides
  const places: number[] = []
  const enter = (place: number): void => {
    if (seen[place] === mark) return
    seen[place] = mark
    places.push(place)
  }
  for (const place of from) enter(place)
  // The list grows while it is walked.
  for (const place of places) {
    const part = parts[place]
    if (part === undefined || (part.kind === 'one' && over?.(part) !== true)) continue
    if (part.kind === 'fork' || part.kind === 'jump') enter(place + part.by)
    if (part.kind === 'border' && !before.some((one) => after.some((other) => part.holds(one, other)))) continue
    if (part.kind !== 'jump') enter(place + 1)
  }
  return places
}
