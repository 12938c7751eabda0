import { nextLoopTurn } from '../../core/domain/text/platform.ts'
import { countFeeds, findText } from './find-text.ts'

/** One replacement of exact text. */
export interface TextEdit {
  readonly oldText: string
  readonly newText: string
}

interface FoundEdit extends TextEdit {
  readonly start: number
}

/** Applies all edits to a text or none. Each old text must occur exactly once, and edits must not overlap. */
export async function planEdits(
  text: string,
  edits: readonly TextEdit[],
): Promise<{ readonly after: string } | { readonly wrong: string }> {
  const found: FoundEdit[] = []
  for (const [index, edit] of edits.entries()) {
    await nextLoopTurn()
    const which = edits.length === 1 ? 'oldText' : `oldText of edit ${index + 1}`
    if (edit.oldText === edit.newText) return { wrong: `${which} and its newText are equal: nothing would change.` }
    const starts = await findText(text, edit.oldText, 11)
    const [start] = starts
    if (start === undefined) return { wrong: `${which} was found 0 times. ${await nearestLine(text, edit.oldText)}` }
    if (starts.length > 1) return { wrong: `${which} was found ${timesAt(text, starts)}. Add lines around it.` }
    found.push({ ...edit, start })
  }
  found.sort((left, right) => left.start - right.start)
  const overlap = found.find((edit, index) => edit.start < endOf(found[index - 1]))
  if (overlap === undefined) return { after: replaced(text, found) }
  return { wrong: `Two edits overlap at line ${countFeeds(text, 0, overlap.start) + 1}. Join them.` }
}

function timesAt(text: string, starts: readonly number[]): string {
  const count = starts.length > 10 ? 'more than 10 times' : `${starts.length} times`
  let [line, from] = [1, 0]
  const lines = starts.map((start) => {
    line += countFeeds(text, from, start)
    from = start
    return line
  })
  return `${count}, at lines ${lines.join(', ')}`
}

function endOf(edit: FoundEdit | undefined): number {
  return edit === undefined ? 0 : edit.start + edit.oldText.length
}

function replaced(text: string, edits: readonly FoundEdit[]): string {
  const parts = edits.map((edit, index) => text.slice(endOf(edits[index - 1]), edit.start) + edit.newText)
  return parts.join('') + text.slice(endOf(edits.at(-1)))
}

const lineLimit = 1_000

/** Characters that are looked at before timers have their turn; a line counts as one more. */
const charactersATurn = 100_000

/** Returns advice about a missing text: the line nearest to its first one. */
async function nearestLine(text: string, wanted: string): Promise<string> {
  if (text.includes('\r\n') && (await findText(text.replaceAll('\r\n', '\n'), wanted, 1)).length > 0) {
    return 'The lines of this file end in CRLF: write them as \\r\\n.'
  }
  await nextLoopTurn()
  const first = squeezed(firstLine(wanted))
  const words = new Set(wordsOf(first))
  let best = { shared: 0, number: 0, line: '' }
  let [left, number] = [charactersATurn, 0]
  for (let from = 0, end = 0; end !== -1; from = end + 1) {
    end = text.indexOf('\n', from)
    number++
    const line = text.slice(from, end === -1 ? undefined : end)
    const short = line === '' ? '' : squeezed(line)
    if (short === first) return `Line ${number} differs from its start at most in white space. Copy the text exactly.`
    const shared = short === '' ? 0 : new Set(wordsOf(short).filter((word) => words.has(word))).size
    if (shared > best.shared) best = { shared, number, line }
    left -= Math.min(line.length, lineLimit) + 1
    if (left > 0) continue
    left = charactersATurn
    await nextLoopTurn()
  }
  if (best.shared * 2 < words.size || words.size === 0) return 'Nothing like it was found. Read the file again.'
  const shown = best.line.slice(0, 200).toWellFormed()
  return `Nearest is line ${best.number}: ${JSON.stringify(shown)}. Copy the text exactly.`
}

function firstLine(text: string): string {
  const start = text.search(/\S/)
  const end = text.indexOf('\n', start)
  return text.slice(Math.max(start, 0), end === -1 ? undefined : end)
}

function squeezed(line: string): string {
  return line.trimStart().slice(0, lineLimit).replaceAll(/\s+/g, ' ').trim()
}

function wordsOf(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}_]+/gu) ?? []
}
