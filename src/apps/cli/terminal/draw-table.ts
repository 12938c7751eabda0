import { stripVTControlCharacters } from 'node:util'
import type { Paint } from './cli-io.ts'
import { usualWidthOf } from './columns.ts'

/** The minimum width of a column that is made narrower to fit. */
const leastWidth = 3

/** The layout of a table. `flow` wraps the text of a cell and shows its Markdown. */
export interface TableLook {
  readonly width: number
  readonly paint: Paint
  flow(text: string, width: number): string
}

/**
 * Draws the lines of a Markdown table with aligned columns. If the table is too wide, the text of its cells is wrapped.
 * Returns undefined for lines that are not a table, and for a table with too many columns for the width.
 */
export function drawTable(lines: readonly string[], { width, paint, flow }: TableLook): string | undefined {
  const [head = [], marks = [], ...body] = lines.map(cellsOf)
  if (head.length !== marks.length || !marks.every((mark) => /^:?-+:?$/.test(mark))) return undefined
  const rows = [head, ...body].map((cells) => head.map((_, column) => cells[column] ?? ''))
  const wanted = head.map((_, column) => Math.max(...rows.map((row) => shownWidth(flow(row[column] ?? '', Infinity)))))
  const widths = fitted(wanted, width - 3 * (head.length - 1))
  if (widths === undefined) return undefined
  const drawn = rows.map((row, index) => {
    const cells = row.map((text, column) => flow(text, widths[column] ?? 0).split('\n'))
    const lineOf = (line: number) =>
      cells.map((parts, column) => {
        const text = aligned(parts[line] ?? '', widths[column] ?? 0, marks[column] ?? '')
        return index === 0 ? paint('bold', text) : text
      })
    const height = Math.max(...cells.map((parts) => parts.length))
    return Array.from({ length: height }, (_, line) => lineOf(line).join(paint('dim', ' │ ')).trimEnd())
  })
  const [first = [], ...others] = drawn
  const rule = paint('dim', widths.map((columns) => '─'.repeat(columns)).join('─┼─'))
  return [...first, rule, ...others.flat()].join('\n')
}

/** Returns the cells of a row; `\|` is a character of its cell. */
function cellsOf(line: string): readonly string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** Makes the widest columns narrower until all fit; undefined if they cannot. */
function fitted(wanted: readonly number[], room: number): readonly number[] | undefined {
  if (wanted.length * leastWidth > room) return undefined
  const sumOf = (most: number) => wanted.reduce((sum, width) => sum + Math.min(width, most), 0)
  let most = Math.max(leastWidth, ...wanted.map((width) => Math.min(width, room)))
  while (most > leastWidth && sumOf(most) > room) most--
  return wanted.map((width) => Math.min(width, most))
}

function aligned(text: string, width: number, mark: string): string {
  const room = Math.max(0, width - shownWidth(text))
  const before = !mark.endsWith(':') ? 0 : mark.startsWith(':') ? Math.floor(room / 2) : room
  return `${' '.repeat(before)}${text}${' '.repeat(room - before)}`
}

function shownWidth(text: string): number {
  return usualWidthOf(stripVTControlCharacters(text))
}
