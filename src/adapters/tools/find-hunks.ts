import { changedLines } from './changed-lines.ts'
import { commonEnd, commonStart, countFeeds } from './find-text.ts'

/** One line of a diff, with its line feed if it has one. */
export interface Row {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

/** Changed lines, with the lines around them. */
export interface Hunk {
  /** The line of each text it begins at, counted from 1. */
  readonly oldStart: number
  readonly newStart: number
  readonly rows: readonly Row[]
}

/** The difference between two texts. */
export interface Difference {
  readonly hunks: readonly Hunk[]
  /** Lines and characters of the last hunk that are left out after its rows. */
  readonly more: { readonly lines: number; readonly characters: number }
}

const around = 3

/** The maximum number of lines of each text to compare, and of lines to return that are only added or only removed. */
const [lineLimit, givenLimit] = [50_000, 30_000]

/** Returns the lines in which two texts differ, or undefined if finding them takes too much work. */
export async function findHunks(before: string, after: string): Promise<Difference | undefined> {
  const [start, length] = commonEnds(before, after)
  const [left, right] = [before.slice(start, before.length - length), after.slice(start, after.length - length)]
  const difference = left === '' || right === '' ? oneSided(left, right) : await twoSided(left, right)
  if (difference === undefined) return undefined
  const first = linesBack(before, start)
  const end = before.length - length
  const rows = [
    ...asRows(' ', linesOf(before.slice(first, start))),
    ...difference.rows,
    // The omission is between a cut change and the lines after it.
    ...(difference.more.lines > 0 ? [] : asRows(' ', firstLines(before, end, around))),
  ]
  return { hunks: grouped(rows, countFeeds(before, 0, first) + 1), more: difference.more }
}

function commonEnds(before: string, after: string): readonly [start: number, length: number] {
  const start = lineStart(before, commonStart(before, after))
  const length = commonEnd(before, after, Math.min(before.length, after.length) - start)
  const feed = before.indexOf('\n', before.length - length)
  return [start, feed === -1 ? 0 : before.length - feed - 1]
}

function oneSided(left: string, right: string): { rows: readonly Row[]; more: Difference['more'] } {
  const [sign, text] = left === '' ? (['+', right] as const) : (['-', left] as const)
  const given = firstLines(text, 0, givenLimit)
  const length = given.reduce((sum, line) => sum + line.length, 0)
  const isEnded = text === '' || text.endsWith('\n')
  const lines = countFeeds(text, length) + (isEnded || length === text.length ? 0 : 1)
  return { rows: asRows(sign, given), more: { lines, characters: text.length - length } }
}

async function twoSided(left: string, right: string) {
  if (countFeeds(left) > lineLimit || countFeeds(right) > lineLimit) return undefined
  const [before, after] = [linesOf(left), linesOf(right)]
  const changed = await changedLines(before, after)
  if (changed === undefined) return undefined
  const rows: Row[] = []
  for (let old = 0, fresh = 0; old < before.length || fresh < after.length;) {
    if (changed.removed[old] === 1) rows.push({ sign: '-', text: before[old++] ?? '' })
    else if (changed.added[fresh] === 1) rows.push({ sign: '+', text: after[fresh++] ?? '' })
    else {
      rows.push({ sign: ' ', text: before[old++] ?? '' })
      fresh++
    }
  }
  return { rows, more: { lines: 0, characters: 0 } }
}

/** Rows that change, with those around them; if these meet, in one hunk. */
function grouped(rows: readonly Row[], firstLine: number): readonly Hunk[] {
  const ranges: { from: number; to: number }[] = []
  for (const [index, { sign }] of rows.entries()) {
    if (sign === ' ') continue
    const [from, to] = [Math.max(0, index - around), Math.min(rows.length, index + around + 1)]
    const last = ranges.at(-1)
    if (last !== undefined && from <= last.to) last.to = to
    else ranges.push({ from, to })
  }
  let [at, oldStart, newStart] = [0, firstLine, firstLine]
  return ranges.map(({ from, to }) => {
    for (; at < from; at++) {
      if (rows[at]?.sign !== '+') oldStart++
      if (rows[at]?.sign !== '-') newStart++
    }
    return { oldStart, newStart, rows: rows.slice(from, to) }
  })
}

function asRows(sign: Row['sign'], lines: readonly string[]): readonly Row[] {
  return lines.map((text) => ({ sign, text }))
}

function linesOf(text: string): readonly string[] {
  return firstLines(text, 0, Infinity)
}

function firstLines(text: string, from: number, most: number): readonly string[] {
  const lines: string[] = []
  for (let at = from; at < text.length && lines.length < most;) {
    const feed = text.indexOf('\n', at)
    const end = feed === -1 ? text.length : feed + 1
    lines.push(text.slice(at, end))
    at = end
  }
  return lines
}

function lineStart(text: string, place: number): number {
  return place === 0 ? 0 : text.lastIndexOf('\n', place - 1) + 1
}

function linesBack(text: string, place: number): number {
  let start = place
  for (let line = 0; line < around && start > 0; line++) start = lineStart(text, start - 1)
  return start
}
