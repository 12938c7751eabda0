import type { FileChange } from './file-change.ts'
import { type Difference, findHunks, type Hunk, type Row } from './find-hunks.ts'
import { shortenRows } from './shorten-rows.ts'
import { quoteName } from './walk-files.ts'

const diffLimit = 50_000

interface ShownChange {
  /** Unified, three lines around; a line in brackets says what it does not show. Empty where nothing changes. */
  readonly diff: string
  /** Lines added and removed; null if they were not counted. */
  readonly added: number | null
  readonly removed: number | null
}

/** Compares a file with what is to stand in its place. */
export async function showChange(shown: string, { before, after }: FileChange): Promise<ShownChange> {
  const isThere = before.stamp !== 'absent'
  if (isThere && before.text === undefined) return uncounted('[No diff: what is replaced is not text, or too large.]')
  if (isThere && before.text === after) return { diff: '', added: 0, removed: 0 }
  const { text = '' } = before
  const difference = await findHunks(text, after)
  if (difference === undefined) return uncounted('[No diff: too many lines change, or change their places.]')
  const name = quoteName(shown)
  const head = `--- ${isThere ? `a/${name}` : '/dev/null'}\n+++ b/${name}\n`
  const { characters, lines } = difference.more
  const whole = rendered(difference)
  const isLong = head.length + whole.length + characters > diffLimit
  const diff = cut(head + (isLong ? rendered(difference, shortenRows) : whole), characters + lines)
  const rows = difference.hunks.flatMap((hunk) => hunk.rows)
  const count = (sign: Row['sign']) => countOf(rows, sign) + (rows.at(-1)?.sign === sign ? lines : 0)
  return { diff, added: count('+'), removed: count('-') }
}

function uncounted(diff: string): ShownChange {
  return { diff, added: null, removed: null }
}

function countOf(rows: readonly Row[], sign: Row['sign']): number {
  return rows.reduce((count, row) => count + (row.sign === sign ? 1 : 0), 0)
}

function rendered({ hunks, more }: Difference, shownAs = (rows: readonly Row[]) => rows): string {
  return hunks
    .map((hunk, index) => `${headOf(hunk, index === hunks.length - 1 ? more.lines : 0)}${textOf(shownAs(hunk.rows))}`)
    .join('')
}

/** An empty side is said to begin at the line before it. */
function headOf({ oldStart, newStart, rows }: Hunk, more: number): string {
  const lines = (other: Row['sign']) => rows.length - countOf(rows, other) + (rows.at(-1)?.sign === other ? 0 : more)
  const [old, fresh] = [lines('+'), lines('-')]
  return `@@ -${old === 0 ? oldStart - 1 : oldStart},${old} +${fresh === 0 ? newStart - 1 : newStart},${fresh} @@\n`
}

function textOf(rows: readonly Row[]): string {
  return rows
    .map(({ sign, text }) => (text.endsWith('\n') ? sign + text : `${sign}${text}\n\\ No newline at end of file\n`))
    .join('')
}

function cut(diff: string, more: number): string {
  if (diff.length <= diffLimit && more === 0) return diff
  const shown = diff.slice(0, diff.lastIndexOf('\n', diffLimit) + 1)
  return `${shown}[Cut after ${shown.length} of ${diff.length + more} characters.]`
}
