import { stripVTControlCharacters } from 'node:util'
import type { CliIo, TextSink } from '../terminal/cli-io.ts'
import { columnsOf, cutToColumns, widthOf } from '../terminal/columns.ts'
import { plainText } from '../terminal/safe-text.ts'
import type { Draft } from './line-editor.ts'

/** The area below the output, which is redrawn after each change. */
export interface Footer {
  /** Rows above the input line, cut to the width. */
  readonly rows: readonly string[]
  /** The text before the draft. */
  readonly prompt: string
  readonly draft: Draft
}

/** The maximum number of characters for one column of output, including those of its colour. */
const mostPerColumn = 16

/** The maximum number of displayed rows of a draft. */
const mostDraftRows = 5

/**
 * Scrolling output with a footer below it. An incomplete row of output is part of the footer until it is complete. If
 * such a row is wider than the terminal, only its end is shown, because terminals wrap rows differently. On a dumb
 * terminal, which cannot move the cursor up, the footer is only the input line.
 */
export class Screen implements TextSink {
  readonly #io: CliIo
  readonly #dim: (text: string) => string
  readonly #isDumb: boolean
  #footer: Footer = { rows: [], prompt: '', draft: { text: '', cursor: 0 } }
  /** The incomplete row of output: its pieces, and as much of its end as one row can show. */
  #open: string[] = []
  #openEnd = ''
  /** The rows on the screen below the output, without colours; `#below` is the number of rows below the cursor. */
  #drawn: readonly string[] = []
  #below = 0
  #isHidden = true

  constructor(io: CliIo, dim: (text: string) => string) {
    this.#io = io
    this.#dim = dim
    this.#isDumb = io.env['TERM'] === 'dumb'
  }

  /** The current number of columns of the terminal. */
  get columns(): number {
    return Math.max(10, this.#io.columns || 80)
  }

  /** Writes output above the footer. */
  write(text: string): void {
    const end = this.#isDumb ? text.length : text.lastIndexOf('\n') + 1
    const above = end === 0 ? '' : this.#takeOpen() + text.slice(0, end)
    if (end < text.length) this.#open.push(text.slice(end))
    this.#openEnd = (this.#openEnd + text.slice(end)).slice(-this.columns * mostPerColumn)
    this.#draw(above)
    if (this.#isDumb) this.#isMidRow = text === '' ? this.#isMidRow : !text.endsWith('\n')
  }

  #isMidRow = false

  /** Replaces the footer. */
  show(footer: Footer): void {
    this.#footer = footer
    this.#isHidden = false
    this.#draw('')
  }

  /** Removes the footer from the screen, so that other output can be written. */
  hide(): void {
    this.#io.stdout.write(this.#erased())
    this.#isHidden = true
    if (this.#openEnd !== '') this.#io.stdout.write(`${this.#takeOpen()}\n`)
  }

  #takeOpen(): string {
    const open = this.#open.join('')
    this.#open = []
    this.#openEnd = ''
    return open
  }

  #draw(above: string): void {
    const erased = this.#erased()
    if (this.#isHidden || (this.#isDumb && above !== '')) {
      this.#io.stdout.write(erased + above)
      return
    }
    if (this.#isDumb && this.#isMidRow) return
    const { rows, prompt, draft } = this.#footer
    const width = this.columns - 1
    const written = draftRows(draft, prompt, width)
    const head = this.#isDumb
      ? []
      : [
          ...(this.#openEnd === '' ? [] : [endOf(this.#openEnd, width)]),
          ...rows.map((row) => this.#dim(cutToColumns(row, width))),
        ]
    const body = this.#isDumb ? written.rows.slice(written.row, written.row + 1) : written.rows
    this.#drawn = [...head, ...body].map((row) => stripVTControlCharacters(row))
    this.#below = this.#isDumb ? 0 : written.rows.length - 1 - written.row
    const up = this.#below === 0 ? '' : `\u001b[${this.#below}A`
    // Writes the part before the cursor again, because only the terminal knows its exact width.
    this.#io.stdout.write(`${erased}${above}${[...head, ...body].join('\n')}${up}\r${written.before}`)
  }

  /** Returns the output that erases the footer; a narrowed terminal has wrapped its rows. */
  #erased(): string {
    const drawn = this.#drawn
    if (drawn.length === 0) return ''
    this.#drawn = []
    if (this.#isDumb) return `\r${' '.repeat(Math.max(0, ...drawn.map(widthOf)))}\r`
    const above = drawn.slice(0, drawn.length - this.#below)
    const rows = above.reduce((sum, row) => sum + Math.max(1, Math.ceil(row.length / this.columns)), 0) - 1
    return `${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[J`
  }
}

/** Returns a row of output, or only its end without colours if the row is too long. */
function endOf(row: string, width: number): string {
  const text = stripVTControlCharacters(row)
  if (widthOf(text) <= width) return row
  return `…${windowOf(text, text.length, width - 1).before}`
}

interface DraftRows {
  readonly rows: readonly string[]
  /** The row of the cursor, and its text before the cursor. */
  readonly row: number
  readonly before: string
}

/** Returns the lines of a draft around the cursor, one row each, cut to the part around the cursor. */
function draftRows({ text, cursor }: Draft, prompt: string, width: number): DraftRows {
  const lines = text.split('\n').map((line) => plainText(line).replaceAll('\t', ' '))
  const above = text.slice(0, cursor).split('\n')
  const at = above.length - 1
  const column = plainText(above.at(-1) ?? '').length
  const first = Math.max(0, Math.min(at - mostDraftRows + 1, lines.length - mostDraftRows))
  const shown = lines.slice(first, first + mostDraftRows)
  const head = cutToColumns(prompt, Math.max(4, width - 6))
  const marks = shown.map((_, index) =>
    first + index === 0 ? head : `${' '.repeat(Math.max(0, widthOf(head) - 2))}. `,
  )
  const room = Math.max(4, width - widthOf(head) - 1)
  const windows = shown.map((line, index) => windowOf(line, first + index === at ? column : 0, room))
  const row = at - first
  return {
    rows: windows.map(({ seen }, index) => `${marks[index] ?? ''}${seen}`),
    row,
    before: `${marks[row] ?? ''}${windows[row]?.before ?? ''}`,
  }
}

/** Returns the part of a line that fits and contains the cursor. */
function windowOf(line: string, cursor: number, room: number): { readonly seen: string; readonly before: string } {
  let before = ''
  let used = 0
  for (const character of [...line.slice(0, cursor)].toReversed()) {
    used += columnsOf(character)
    if (used > room) break
    before = character + before
  }
  let after = ''
  for (const character of line.slice(cursor)) {
    used += columnsOf(character)
    if (used > room) break
    after += character
  }
  return { seen: before + after, before }
}
