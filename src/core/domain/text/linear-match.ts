/** A pattern that texts are matched against. */
export interface Pattern {
  /** Returns true if the text fits. The work grows at most with the text's length times the places of the pattern. */
  test(text: string): boolean
  /** Returns true if the text could fit with any text in place of each `gap`. Its work is that of `test`. */
  mayFit(text: string): boolean
  /**
   * Returns true if a command line with this program could fit, for any further words. Each `gap` in the name is any
   * text without blanks and slashes. Always false if the pattern does not restrict programs. Its work is that of
   * `test`.
   */
  mayBegin(program: string): boolean
  /** The maximum number of simultaneous positions in the pattern. */
  readonly places: number
}

/** The placeholder for unknown characters in a text. */
export const gap = '\0'

/**
 * One position of a pattern. A `fork` matches nothing and continues at the next position and at another one, a `jump`
 * only at another one; `by` is the distance in positions. A `border` is passed if its condition is true for the
 * characters on both sides.
 */
export type Part =
  | { readonly kind: 'one'; readonly takes: (char: string) => boolean }
  | { readonly kind: 'many'; readonly takes: (char: string) => boolean }
  | { readonly kind: 'fork'; readonly by: number }
  | { readonly kind: 'jump'; readonly by: number }
  | { readonly kind: 'border'; readonly holds: (before: string | undefined, after: string | undefined) => boolean }

/** Returns a pattern of alternatives, of which a text must fit one: from beginning to end, or anywhere. */
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
  // A pattern that a line of any program may fit is about words in any position.
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

/** Returns a pattern that exactly one text fits. */
export function textPattern(wanted: string): Pattern {
  return patternOf([[...wanted].map((char): Part => ({ kind: 'one', takes: (other) => other === char }))], 'whole')
}

/** A pattern in the forms for matching names. */
interface Naming {
  /** The parts without a leading part that matches any text: `*rm*` names `rm`. */
  readonly whole: readonly Part[]
  /** The parts without a trailing one, too: in `*.ts` the unknown part does not match the `rm` of `rm*`. */
  readonly core: readonly Part[]
}

function namingOf(parts: readonly Part[]): Naming {
  const isNamed = (part: Part) => part.kind !== 'many' || !part.takes(' ')
  const whole = parts.slice(parts.findIndex(isNamed))
  return { whole, core: whole.slice(0, whole.findLastIndex(isNamed) + 1) }
}

const anything = () => true
const anyInName = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).filter((char) => char !== '/')

/** Returns true for a part that matches other characters than blanks and slashes. */
function inName(part: Taking): boolean {
  return !(part.takes(' ') || part.takes('/')) || anyInName.some((char) => part.takes(char))
}

type Taking = Extract<Part, { readonly kind: 'one' | 'many' }>

/** The part of a text that must fit: all of it, any part, or all of it as the beginning of a fitting text. */
type Where = 'whole' | 'anywhere' | 'start'

/**
 * Returns true if characters fit the parts of a pattern. All possible positions are tracked together, so that no path
 * through the pattern is walked twice. With `passes`, a `gap` among the characters skips any number of the parts that
 * pass.
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

/** Returns the characters that may be before (-1) or after (1) a border in front of a character, or in it if a gap. */
function around(chars: readonly string[], at: number, by: -1 | 1): readonly Char[] {
  const near = by === -1 ? at - 1 : at
  if (chars[near] === gap) return [chars[near + by], 'a', ' ']
  return by === -1 && chars[at] === gap ? [chars[near], 'a', ' '] : [chars[near]]
}

interface Step {
  /** By place: the mark of the last step that reached it. */
  readonly seen: Uint32Array
  readonly mark: number
  /** The possible characters before and after a border. */
  readonly sides: readonly (readonly Char[])[]
  /** Returns true for parts that are skipped without a character. */
  readonly over: ((part: Taking) => boolean) | undefined
}

/** Returns all positions that are reachable from some positions before the next character. */
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
  // The list grows during the iteration.
  for (const place of places) {
    const part = parts[place]
    if (part === undefined || (part.kind === 'one' && over?.(part) !== true)) continue
    if (part.kind === 'fork' || part.kind === 'jump') enter(place + part.by)
    if (part.kind === 'border' && !before.some((one) => after.some((other) => part.holds(one, other)))) continue
    if (part.kind !== 'jump') enter(place + 1)
  }
  return places
}
