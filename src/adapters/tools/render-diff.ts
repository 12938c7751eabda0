import type { FileChange } from './file-change.ts'
import { type Difference, findHunks, type Hunk, type Row } from './find-hunks.ts'
import { quoteName } from './walk-files.ts'
import { commonEnd, commonStart } from './find-text.ts'

const diffLimit = 50_000

interface ShownChange {
  /** A unified diff with three lines of context. A line in brackets names the omitted part. Empty without changes. */
  readonly diff: string
  /** Lines added and removed; null if they were not counted. */
  readonly added: number | null
  readonly removed: number | null
}

/** Compares a file with its planned text. */
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

/** Characters of a line that are shown if a diff is too long, and those of them before what changes. */
const [lineLimit, lead] = [2_000, 100]

/** Cuts long rows of a diff to their changes. A text in brackets replaces each omitted part. */
function shortenRows(rows: readonly Row[]): readonly Row[] {
  const shown: (readonly Row[])[] = []
  for (let at = 0; at < rows.length;) {
    const removed = runOf(rows, at, '-')
    const added = runOf(rows, at + removed.length, '+')
    const others = removed.length + added.length === 0 ? rows.slice(at, at + 1) : []
    at += removed.length + added.length + others.length
    const pairs = (one: readonly Row[], other: readonly Row[]) =>
      one.map((row, index) => shortened(row, other[index]?.text ?? ''))
    shown.push(pairs(others, others), pairs(removed, added), pairs(added, removed))
  }
  return shown.flat()
}

function runOf(rows: readonly Row[], from: number, sign: Row['sign']): readonly Row[] {
  let to = from
  while (rows[to]?.sign === sign) to++
  return rows.slice(from, to)
}

function shortened({ sign, text }: Row, other: string): Row {
  if (text.length <= lineLimit) return { sign, text }
  const isEnded = text.endsWith('\n')
  const line = isEnded ? text.slice(0, -1) : text
  const [from, to] = text === other ? [0, 0] : changedPart(line, other.endsWith('\n') ? other.slice(0, -1) : other)
  const start = Math.max(0, from - lead)
  const end = Math.min(line.length, Math.max(to + lead, start + lineLimit / 2))
  const half = (lineLimit - lead) / 2
  const middle =
    end - start <= lineLimit
      ? line.slice(start, end)
      : `${line.slice(start, start + half)}${leftOut(end - start - half * 2)}${line.slice(end - half, end)}`
  const shown = `${leftOut(start)}${middle}${leftOut(line.length - end)}`.toWellFormed()
  return { sign, text: isEnded ? `${shown}\n` : shown }
}

function changedPart(line: string, other: string): readonly [from: number, to: number] {
  const from = commonStart(line, other)
  return [from, line.length - commonEnd(line, other, Math.min(line.length, other.length) - from)]
}

function leftOut(characters: number): string {
  return characters === 0 ? '' : `[… ${characters} characters …]`
}
