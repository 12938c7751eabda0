import type { Paint } from './cli-io.ts'
import { columnsOf, widthOf } from './columns.ts'
import { drawTable } from './draw-table.ts'

/** The layout of a text. */
export interface FlowingLook {
  /** The maximum number of columns of a row. */
  readonly width: number
  /** The text before every row. */
  readonly margin?: string
  readonly paint: Paint
  readonly write: (text: string) => void
}

type Style = 'plain' | 'bold' | 'code'

/** A part of a word in one style. */
interface Piece {
  readonly text: string
  readonly style: Style
}

/** The maximum length of a table; a longer one is drawn in parts, whose later ones are text. */
const longestTable = 10_000

/** The maximum length of a span; a mark without an end within this length is plain text. */
const longestSpan = 200

const spans = [
  { mark: '**', whole: /^\*\*(?=\S)([^\n]{0,199}?\S)\*\*/, style: 'bold' },
  { mark: '`', whole: /^`([^`\n]{1,200})`/, style: 'code' },
] as const

/**
 * Wraps arriving text between words and draws its tables. If colours are on, renders its other Markdown: bold, code,
 * headings, lists and fenced code, which is never wrapped. A word or a table is written when it is complete, and a mark
 * when its end has arrived.
 */
export class FlowingText {
  readonly #look: FlowingLook
  readonly #margin: string
  readonly #isStyled: boolean
  /** The unprocessed part of the current line. */
  #pending = ''
  /** The index of the line's end in the pending text; -1 if it has not arrived. */
  #lineEnd = -1
  #isLineBegun = false
  #isFenced = false
  /** The number of lines to come that look like a table and are shown as text. */
  #untabled = 0
  /** The style of the whole current line. */
  #lineStyle: Style = 'plain'
  /** Columns used in the current row, and the indent of its wrapped rows. */
  #column = 0
  #hanging = 0
  /** White space before the current word, and the word so far. */
  #gap = ''
  #word: Piece[] = []

  constructor(look: FlowingLook) {
    this.#look = look
    this.#margin = look.margin ?? ''
    this.#isStyled = look.paint('bold', 'x') !== 'x'
  }

  add(text: string): void {
    const end = text.indexOf('\n')
    if (this.#lineEnd < 0 && end >= 0) this.#lineEnd = this.#pending.length + end
    this.#pending += text
    this.#takeIn(false)
  }

  /** Writes the pending text and ends the current line. */
  end(): void {
    this.#takeIn(true)
    if (this.#isLineBegun) this.#endLine()
    this.#isFenced = false
    this.#untabled = 0
  }

  #takeIn(isOver: boolean): void {
    while (this.#pending !== '' && this.#step(isOver)) continue
    if (isOver) this.#endWord()
  }

  /** Processes one part of the pending text; returns false if more text is needed. */
  #step(isOver: boolean): boolean {
    const end = this.#lineEnd
    const line = end < 0 ? this.#pending : this.#pending.slice(0, end)
    const isWhole = end >= 0 || isOver
    if (!this.#isLineBegun) return this.#drawTable(isOver) ?? this.#beginLine(line, isWhole)
    if (end === 0) {
      this.#take(1)
      this.#endLine()
      return true
    }
    if (this.#isFenced) {
      this.#take(line.length)
      this.#write(this.#look.paint('cyan', line), widthOf(line))
      return true
    }
    return this.#takePart(line, isWhole)
  }

  /** Draws the table that the pending text begins with; false if it has not arrived, undefined if there is none. */
  #drawTable(isOver: boolean): boolean | undefined {
    if (this.#isFenced || this.#untabled > 0) return undefined
    const [found] = /^(?: {0,3}\|[^\n]*(?:\n|$))+/.exec(this.#pending) ?? []
    if (found === undefined) return undefined
    const isOpen = !isOver && found.length === this.#pending.length
    if (isOpen && found.length < longestTable) return false
    const text = isOpen ? found.slice(0, found.lastIndexOf('\n') + 1) || found : found
    const lines = text.replace(/\n$/, '').split('\n')
    const { paint } = this.#look
    const drawn = drawTable(lines, { paint, width: this.#room, flow: (cell, width) => flow(cell, { paint, width }) })
    if (drawn === undefined) {
      this.#untabled = lines.length
      return undefined
    }
    this.#take(text.length)
    for (const row of drawn.split('\n')) this.#look.write(`${this.#margin}${row}\n`)
    return true
  }

  #beginLine(line: string, isWhole: boolean): boolean {
    if (/^\s*(?:```|~~~)/.test(line)) {
      if (!isWhole && line.length <= longestSpan) return false
      this.#take(line.length)
      this.#openRow()
      this.#isFenced = !this.#isFenced
      this.#write(this.#look.paint('dim', line), widthOf(line))
      return true
    }
    if (!isWhole && line.length <= longestSpan && maybeMark.test(line)) return false
    this.#openRow()
    if (this.#isFenced) return true
    const heading = this.#isStyled ? /^\s*#{1,6}\s+/.exec(line)?.[0] : undefined
    if (heading !== undefined) {
      this.#take(heading.length)
      this.#lineStyle = 'bold'
      return true
    }
    const [all = '', space = '', mark = ''] =
      /^(\s*)([-*+]|\d{1,9}[.)])\s+(?=\S)/.exec(line) ?? /^(\s*)/.exec(line) ?? []
    this.#take(all.length)
    const shown = this.#isStyled ? mark.replace(/^[-*+]$/, '•') : mark
    const start = `${space.replaceAll('\t', '  ')}${shown}${mark === '' ? '' : ' '}`
    this.#write(start, start.length)
    this.#hanging = Math.min(start.length, Math.floor(this.#look.width / 2))
    return true
  }

  /** Processes a span, a piece of a word, or the white space after it. */
  #takePart(line: string, isWhole: boolean): boolean {
    const space = /^\s+/.exec(line)?.[0]
    if (space !== undefined) {
      this.#endWord()
      this.#take(space.length)
      this.#gap += space.replaceAll('\t', '  ')
      return true
    }
    const span = this.#isStyled ? spans.find(({ mark }) => line.startsWith(mark)) : undefined
    const found = span?.whole.exec(line)
    if (span !== undefined && found !== undefined && found !== null) {
      this.#take(found[0].length)
      this.#addSpan(found[1] ?? '', span.style)
      return true
    }
    const isUndecided = span !== undefined || (this.#isStyled && line === '*')
    if (isUndecided && !isWhole && line.length <= longestSpan) return false
    const plain = /^(?:\*\*|.)[^\s*`]*/u.exec(line)?.[0] ?? line
    this.#take(plain.length)
    this.#word.push({ text: plain, style: this.#lineStyle })
    return true
  }

  #addSpan(text: string, style: Style): void {
    for (const part of text.split(/(\s+)/)) {
      if (part === '') continue
      if (part.trim() !== '') this.#word.push({ text: part, style })
      else {
        this.#endWord()
        this.#gap += ' '
      }
    }
  }

  #take(length: number): void {
    this.#pending = this.#pending.slice(length)
    if (this.#lineEnd < 0) return
    this.#lineEnd = this.#lineEnd >= length ? this.#lineEnd - length : this.#pending.indexOf('\n')
  }

  #endWord(): void {
    if (this.#word.length === 0) return
    const width = this.#word.reduce((sum, { text }) => sum + widthOf(text), 0)
    if (this.#column > this.#hanging && this.#column + this.#gap.length + width > this.#room) this.#wrap()
    else this.#write(this.#gap, this.#gap.length)
    for (const piece of this.#word) this.#writePiece(piece)
    this.#word = []
    this.#gap = ''
  }

  /** Writes a piece of a word, in parts if the word is longer than a row. */
  #writePiece({ text, style }: Piece): void {
    let part = ''
    let width = 0
    for (const character of text) {
      const columns = columnsOf(character)
      if (this.#column + width + columns > this.#room && this.#column + width > this.#hanging) {
        this.#write(this.#styled(part, style), width)
        this.#wrap()
        part = ''
        width = 0
      }
      part += character
      width += columns
    }
    this.#write(this.#styled(part, style), width)
  }

  #styled(text: string, style: Style): string {
    if (text === '' || style === 'plain') return text
    return this.#look.paint(style === 'code' ? 'cyan' : 'bold', text)
  }

  get #room(): number {
    return Math.max(1, this.#look.width - this.#margin.length)
  }

  #openRow(): void {
    this.#isLineBegun = true
    this.#look.write(this.#margin)
  }

  #wrap(): void {
    this.#look.write(`\n${this.#margin}${' '.repeat(this.#hanging)}`)
    this.#column = this.#hanging
  }

  #write(text: string, columns: number): void {
    if (text !== '') this.#look.write(text)
    this.#column += columns
  }

  #endLine(): void {
    this.#endWord()
    this.#look.write('\n')
    this.#isLineBegun = false
    if (this.#untabled > 0) this.#untabled--
    this.#lineStyle = 'plain'
    this.#column = 0
    this.#hanging = 0
    this.#gap = ''
  }
}

/** The beginning of a line that may still become a mark. */
const maybeMark = /^\s*(?:(?:#{1,6}|[-*+]|\d{1,9}[.)]?|`{1,2}|~{1,2})\s*)?$/

/** Paints nothing. */
export const plain: Paint = (_, text) => text

/** Returns a whole text in this layout, without the end of its last line. */
export function flow(text: string, look: Omit<FlowingLook, 'write'>): string {
  let flowed = ''
  const flowing = new FlowingText({ ...look, write: (part) => (flowed += part) })
  flowing.add(text)
  flowing.end()
  return flowed.replace(/\n$/, '')
}
