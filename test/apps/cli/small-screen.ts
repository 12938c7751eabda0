/** Characters of two columns, and what stands for their second one. */
const wide = /\p{Script=Han}/u
const secondHalf = '\u0000'

/** What a terminal of so many columns shows of an output: rows that scroll without end, and where the cursor is. */
export class SmallScreen {
  readonly #columns: number
  readonly #rows: string[] = ['']
  #row = 0
  #column = 0
  /** Rows that the terminal had to break. */
  broken = 0

  constructor(columns: number) {
    this.#columns = columns
  }

  write(text: string): void {
    // oxlint-disable-next-line no-control-regex
    for (const [part] of text.matchAll(/\u001b\[[?\d;]*[a-zA-Z]|[^]/gu)) this.#take(part)
  }

  /** The rows that are not empty, without blanks at their ends. */
  get rows(): readonly string[] {
    return this.#rows.map((row) => row.replaceAll(secondHalf, '').trimEnd()).filter((row) => row !== '')
  }

  /** What stands before the cursor in its row. */
  get beforeCursor(): string {
    return (this.#rows[this.#row] ?? '').slice(0, this.#column)
  }

  #take(part: string): void {
    if (part === '\r') this.#column = 0
    else if (part === '\n') this.#goTo(this.#row + 1, 0)
    else if (!part.startsWith('\u001b')) this.#put(part)
    else if (part.endsWith('A')) this.#goTo(this.#row - Number(part.slice(2, -1)), this.#column)
    else if (part.endsWith('J')) this.#erase()
  }

  #goTo(row: number, column: number): void {
    if (row < 0) throw new Error(`The cursor was moved above the first row, from row ${this.#row}.`)
    while (this.#rows.length <= row) this.#rows.push('')
    this.#row = row
    this.#column = column
  }

  #erase(): void {
    this.#rows.length = this.#row + 1
    this.#rows[this.#row] = (this.#rows[this.#row] ?? '').slice(0, this.#column)
  }

  #put(character: string): void {
    const written = wide.test(character) ? `${character}${secondHalf}` : character
    const width = wide.test(character) ? 2 : 1
    if (this.#column + width > this.#columns) {
      this.broken++
      this.#goTo(this.#row + 1, 0)
    }
    const row = (this.#rows[this.#row] ?? '').padEnd(this.#column)
    this.#rows[this.#row] = row.slice(0, this.#column) + written + row.slice(this.#column + width)
    this.#column += width
  }
}
