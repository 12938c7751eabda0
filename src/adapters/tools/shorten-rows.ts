import { commonEnd, commonStart } from './find-text.ts'
import type { Row } from './find-hunks.ts'

/** Characters of a line that are shown where a diff is too long, and those of them before what changes. */
const [lineLimit, lead] = [2_000, 100]

/** Cuts long rows of a diff to their changes. A text in brackets stands for each part that is left out. */
export function shortenRows(rows: readonly Row[]): readonly Row[] {
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
