import { nextLoopTurn } from '../../core/domain/text/platform.ts'
import { countFeeds, findText } from './find-text.ts'
import { nearestLine } from './nearest-line.ts'

/** One replacement of exact text. */
export interface TextEdit {
  readonly oldText: string
  readonly newText: string
}

interface FoundEdit extends TextEdit {
  readonly start: number
}

/** Applies all edits to a text or none. Each old text must occur exactly once in the text, and none may overlap. */
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
  return { wrong: `Two edits overlap at line ${countFeeds(text, 0, overlap.start) + 1}. Make them one.` }
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
