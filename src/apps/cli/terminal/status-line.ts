import { Activity } from './activity.ts'
import type { CliIo, Paint } from './cli-io.ts'
import { cutToColumns, widthOf } from './columns.ts'
import { describeDuration } from './describe-amount.ts'
import { plainText } from './safe-text.ts'

const leastMs = 100

/** The maximum number of kept characters of a model's thinking. */
const mostKept = 1_000

/**
 * A line at the end of the output with the current activity and its duration, redrawn each second. It is erased
 * completely; clear it before any other output.
 */
export class StatusLine {
  readonly #io: CliIo
  readonly #paint: Paint
  readonly #activity: Activity
  #detail = ''
  #drawnAt = 0
  /** The columns that it uses on the screen; 0 while it is hidden. */
  #width = 0

  constructor(io: CliIo, paint: Paint) {
    this.#io = io
    this.#paint = paint
    this.#activity = new Activity(io.clock, () => this.#draw())
  }

  /** Shows an activity, or continues to show it. */
  show(label: string): void {
    if (this.#activity.label !== label) this.clear()
    this.#activity.show(label)
  }

  /** Adds words next to the label. If they are too long, the line shows their end. */
  add(words: string): void {
    if (this.#activity.label === '') return
    this.#detail = `${this.#detail}${words}`.slice(-mostKept)
    if (this.#io.clock.now() - this.#drawnAt >= leastMs) this.#draw()
  }

  /** Removes the line from the screen. */
  clear(): void {
    this.#activity.show('')
    this.#detail = ''
    if (this.#width > 0) this.#io.stdout.write(`\r${' '.repeat(this.#width)}\r`)
    this.#width = 0
  }

  /** Draws the line without escape sequences that move the cursor; blanks overwrite a longer earlier line. */
  #draw(): void {
    const { label, tookMs } = this.#activity
    if (label === '') return
    const room = Math.max(10, (this.#io.columns || 80) - 1)
    const head = cutToColumns(`${label} ${describeDuration(tookMs)}`, room)
    const words = plainText(this.#detail).replace(/\s+/g, ' ').trim()
    const tail = endIn(words, room - widthOf(head) - 2)
    const text = tail === '' ? head : `${head}  ${tail}`
    const width = widthOf(text)
    this.#io.stdout.write(`\r${this.#paint('dim', text)}${' '.repeat(Math.max(0, this.#width - width))}`)
    this.#width = Math.max(width, this.#width)
    this.#drawnAt = this.#io.clock.now()
  }
}

/** Returns the end of a text in at most this many columns; `…` marks the removed beginning. */
function endIn(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  if (columns < 2) return ''
  let kept = ''
  let used = 1
  for (const character of [...text].toReversed()) {
    used += widthOf(character)
    if (used > columns) break
    kept = character + kept
  }
  return `…${kept}`
}
