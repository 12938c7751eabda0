/** One replacement of exact text. */
export interface TextEdit {
  readonly oldText: string
  readonly newText: string
}

interface FoundEdit extends TextEdit {
  readonly start: number
}

/**
 * Applies all edits to a text or none: each old text has to stand in the text exactly once, as it was before any of
 * them, and no two may overlap. What is wrong says how often a text was found and near which lines.
 */
export function planEdits(
  text: string,
  edits: readonly TextEdit[],
): { readonly after: string } | { readonly wrong: string } {
  const found: FoundEdit[] = []
  for (const [index, edit] of edits.entries()) {
    const starts = startsOf(text, edit.oldText)
    const [start] = starts
    const which = edits.length === 1 ? 'oldText' : `oldText of edit ${index + 1}`
    if (edit.oldText === edit.newText) return { wrong: `${which} and its newText are equal: nothing would change.` }
    if (start === undefined) return { wrong: `${which} was found 0 times. ${nearest(text, edit.oldText)}` }
    if (starts.length > 1) return { wrong: `${which} was found ${timesAt(text, starts)}. Add lines around it.` }
    found.push({ ...edit, start })
  }
  found.sort((left, right) => left.start - right.start)
  const overlap = found.find((edit, index) => edit.start < endOf(found[index - 1]))
  if (overlap === undefined) return { after: replaced(text, found) }
  return { wrong: `Two edits overlap at line ${lineAt(text, overlap.start)}. Make them one.` }
}

/** Where a text starts in another, overlapping finds included, eleven at most. */
function startsOf(text: string, wanted: string): readonly number[] {
  const starts: number[] = []
  for (let at = text.indexOf(wanted); at !== -1 && starts.length < 11; at = text.indexOf(wanted, at + 1))
    starts.push(at)
  return starts
}

function timesAt(text: string, starts: readonly number[]): string {
  const count = starts.length > 10 ? 'more than 10 times' : `${starts.length} times`
  return `${count}, at lines ${starts.map((start) => lineAt(text, start)).join(', ')}`
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

function endOf(edit: FoundEdit | undefined): number {
  return edit === undefined ? 0 : edit.start + edit.oldText.length
}

function replaced(text: string, edits: readonly FoundEdit[]): string {
  const parts = edits.map((edit, index) => text.slice(endOf(edits[index - 1]), edit.start) + edit.newText)
  return parts.join('') + text.slice(endOf(edits.at(-1)))
}

/** What to tell about a text that is not there: the line that comes nearest to its first one. */
function nearest(text: string, wanted: string): string {
  if (text.includes('\r\n') && text.replaceAll('\r\n', '\n').includes(wanted)) {
    return 'The lines of this file end in CRLF: write them as \\r\\n.'
  }
  const first = wanted.split('\n').find((line) => line.trim() !== '') ?? ''
  const lines = text.split('\n')
  const equal = lines.findIndex((line) => squeezed(line) === squeezed(first))
  if (equal !== -1) return `Line ${equal + 1} differs from its start at most in white space. Copy the text exactly.`
  const words = new Set(wordsOf(first))
  const shared = lines.map((line) => new Set(wordsOf(line).filter((word) => words.has(word))).size)
  const most = shared.reduce((best, count, index) => (count > (shared[best] ?? 0) ? index : best), 0)
  if ((shared[most] ?? 0) * 2 < words.size || words.size === 0) return 'Nothing like it was found. Read the file again.'
  return `Nearest is line ${most + 1}: ${JSON.stringify((lines[most] ?? '').slice(0, 200))}. Copy the text exactly.`
}

function squeezed(line: string): string {
  return line.replaceAll(/\s+/g, ' ').trim()
}

function wordsOf(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}_]+/gu) ?? []
}
