/** What is asked whether it fits a text. */
export interface Pattern {
  /** Whether the text fits. The work grows with the length of the text times the places of the pattern, and no faster. */
  test(text: string): boolean
  /** How many places a text may have come to at once. */
  readonly places: number
}

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

/**
 * Whether characters fit the parts of a pattern: from the first to the last, or those `anywhere` in between. Every place
 * the text may have come to is walked at once, so that no way through the pattern is gone twice.
 */
export function fitsParts(parts: readonly Part[], chars: readonly string[], where: 'whole' | 'anywhere'): boolean {
  const isAnywhere = where === 'anywhere'
  const seen = new Uint32Array(parts.length + 1)
  let next = [0]
  for (let at = 0; ; at++) {
    const char = chars[at]
    const places = reached(parts, next, { seen, mark: at + 1, before: chars[at - 1], after: char })
    const isThrough = seen[parts.length] === at + 1
    if (isThrough && isAnywhere) return true
    if (char === undefined) return isThrough
    next = isAnywhere ? [0] : []
    for (const place of places) {
      const part = parts[place]
      if (part?.kind !== 'one' && part?.kind !== 'many') continue
      if (part.takes(char)) next.push(part.kind === 'one' ? place + 1 : place)
    }
    if (next.length === 0) return false
  }
}

interface Step {
  /** By place: the mark of the last step that came there. */
  readonly seen: Uint32Array
  readonly mark: number
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Where a text may be once it has come to some places, before the next character. */
function reached(parts: readonly Part[], from: readonly number[], step: Step): readonly number[] {
  const places: number[] = []
  const enter = (place: number): void => {
    if (step.seen[place] === step.mark) return
    step.seen[place] = step.mark
    places.push(place)
  }
  for (const place of from) enter(place)
  // The list grows while it is walked.
  for (const place of places) {
    const part = parts[place]
    if (part === undefined || part.kind === 'one') continue
    if (part.kind === 'fork' || part.kind === 'jump') enter(place + part.by)
    if (part.kind === 'border' && !part.holds(step.before, step.after)) continue
    if (part.kind !== 'jump') enter(place + 1)
  }
  return places
}
