import { stripVTControlCharacters } from 'node:util'
import { replaceInvisible } from '../../../core/domain/text/invisible.ts'

/**
 * Returns text of a model, a tool or a file in a form that is safe for a terminal: without escape sequences, control
 * characters, invisible characters and direction marks. Line feeds and tabs stay.
 */
export function plainText(text: string): string {
  return replaceInvisible(stripVTControlCharacters(text), (character) => (isLayout(character) ? character : ''))
}

/** The maximum number of characters that are held back for the rest of an escape sequence. */
const mostHeld = 200

/** `plainText` for a text that arrives in pieces, in which an escape sequence may span several pieces. */
export class ArrivingText {
  #held = ''

  /** Returns the displayable text up to this piece. An incomplete escape sequence and its rest are held back. */
  take(piece: string): string {
    const all = this.#held + piece
    const first = all.search(introducer)
    if (first < 0) return this.#show(all, all.length)
    if (all.length - first <= mostHeld) return this.#show(all, first)
    const last = Math.max(all.lastIndexOf('\u001b'), all.lastIndexOf('\u009b'))
    return this.#show(all, all.length - last > mostHeld ? all.length : last)
  }

  /** Returns the held text at the end. */
  end(): string {
    return this.#show(this.#held, this.#held.length)
  }

  #show(text: string, end: number): string {
    this.#held = text.slice(end)
    return plainText(text.slice(0, end))
  }
}

/** Returns `plainText` on one line with collapsed white space and at most `limit` characters. */
export function oneLine(text: string, limit = 200): string {
  const characters = [...plainText(text).replace(/\s+/g, ' ').trim()]
  return characters.length <= limit ? characters.join('') : `${characters.slice(0, limit - 1).join('')}…`
}

/** Returns text for an approval: complete, with control and invisible characters written as `\u{1b}`. */
export function visibleText(text: string): string {
  return replaceInvisible(text, (character) =>
    isLayout(character) ? character : `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  )
}

/** Returns JSON on one line that is safe on a terminal and still has the same value. */
export function safeJson(value: unknown): string {
  return replaceInvisible(JSON.stringify(value), (character) =>
    character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

/** Matches the beginning of an escape sequence. */
// oxlint-disable-next-line no-control-regex
const introducer = /[\u001b\u009b]/

function isLayout(character: string): boolean {
  return character === '\n' || character === '\t'
}
