import type { Key, KeyName } from './keys.ts'

/** A text in progress, with the position of the cursor. */
export interface Draft {
  readonly text: string
  /** The number of code units before the cursor. */
  readonly cursor: number
}

const empty: Draft = { text: '', cursor: 0 }

/** The maximum number of lines in the history. */
const mostRemembered = 500

/** A line editor, because terminals in raw mode do not have one. */
export class LineEditor {
  #draft = empty
  readonly #history: string[]
  /** The index of the displayed history line; the history's length for the draft. */
  #place: number
  #kept = ''
  /** The text that the history is searched for; undefined outside of a search. */
  #wanted: string | undefined

  /** `history`: earlier lines, oldest first. */
  constructor(history: readonly string[] = []) {
    this.#history = [...history]
    this.#place = this.#history.length
  }

  get draft(): Draft {
    return this.#draft
  }

  /** Replaces the draft with another text. */
  set(text: string): void {
    this.#draft = { text, cursor: text.length }
    this.#place = this.#history.length
    this.#wanted = undefined
  }

  /** Processes a key; returns the whole text if the key completes it. */
  take(key: Key): string | undefined {
    if (key.kind !== 'named' || key.name !== 'search') this.#wanted = undefined
    if (key.kind !== 'named') this.#insert(key.text)
    else if (key.name === 'enter') return this.#end()
    else this.#move(key.name)
    return undefined
  }

  #end(): string {
    const { text } = this.#draft
    if (text.trim() !== '' && this.#history.at(-1) !== text) this.#history.push(text)
    if (this.#history.length > mostRemembered) this.#history.shift()
    this.set('')
    return text
  }

  #insert(text: string): void {
    const { before, after } = this.#parts()
    this.#draft = { text: before + text + after, cursor: before.length + text.length }
  }

  #move(name: KeyName): void {
    const { before, after } = this.#parts()
    switch (name) {
      case 'newline':
        return this.#insert('\n')
      case 'backspace':
        return this.#becomes(before.slice(0, before.length - lastLength(before)), after)
      case 'delete':
        return this.#becomes(before, after.slice(firstLength(after)))
      case 'left':
        return this.#goTo(before.length - lastLength(before))
      case 'right':
        return this.#goTo(before.length + firstLength(after))
      case 'home':
        return this.#goTo(before.lastIndexOf('\n') + 1)
      case 'end':
        return this.#goTo(before.length + (after.includes('\n') ? after.indexOf('\n') : after.length))
      case 'wordLeft':
        return this.#goTo(withoutLastWord(before).length)
      case 'wordRight':
        return this.#goTo(before.length + (/^\s*\S*/.exec(after)?.[0].length ?? 0))
      case 'search':
        return this.#search()
      case 'cutBefore':
        return this.#becomes(before.slice(0, before.lastIndexOf('\n') + 1), after)
      case 'cutAfter':
        return this.#becomes(before, after.includes('\n') ? after.slice(after.indexOf('\n')) : '')
      case 'cutWord':
        return this.#becomes(withoutLastWord(before), after)
      case 'up':
        return this.#show(this.#place - 1)
      case 'down':
        return this.#show(this.#place + 1)
      case 'enter':
      case 'interrupt':
      case 'endOfInput':
      case 'redraw':
      case 'escape':
      case 'complete':
        return undefined
    }
  }

  /** Shows the next older line that holds the draft; again, the one before. */
  #search(): void {
    const wanted = (this.#wanted ??= this.#draft.text)
    const older = this.#history.slice(0, this.#place)
    this.#show(older.findLastIndex((line) => line !== wanted && line.includes(wanted)))
  }

  #show(place: number): void {
    if (place < 0 || place > this.#history.length) return
    if (this.#place === this.#history.length) this.#kept = this.#draft.text
    const text = this.#history[place] ?? this.#kept
    this.#place = place
    this.#draft = { text, cursor: text.length }
  }

  #parts() {
    const { text, cursor } = this.#draft
    return { before: text.slice(0, cursor), after: text.slice(cursor) }
  }

  #becomes(before: string, after: string): void {
    this.#draft = { text: before + after, cursor: before.length }
  }

  #goTo(cursor: number): void {
    this.#draft = { ...this.#draft, cursor }
  }
}

function lastLength(text: string): number {
  return [...text.slice(-2)].at(-1)?.length ?? 0
}

function firstLength(text: string): number {
  return [...text.slice(0, 2)][0]?.length ?? 0
}

/** Visits each letter once, because a paste may be long. */
function withoutLastWord(text: string): string {
  let at = text.trimEnd().length
  while (at > 0 && /\S/.test(text.charAt(at - 1))) at--
  return text.slice(0, at)
}
