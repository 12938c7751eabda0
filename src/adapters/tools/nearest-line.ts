import { nextLoopTurn } from '../../core/domain/text/platform.ts'
import { findText } from './find-text.ts'

const lineLimit = 1_000

/** Characters that are looked at before timers have their turn; a line counts as one more. */
const charactersATurn = 100_000

/** Returns advice about a missing text: the line nearest to its first one. */
export async function nearestLine(text: string, wanted: string): Promise<string> {
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
