import { stripVTControlCharacters } from 'node:util'
import { replaceInvisible } from '../../../core/domain/text/invisible.ts'

/**
 * Text of a model, a tool or a file as it may reach a terminal: without escape sequences, control characters, characters
 * nobody sees and marks that turn the writing direction; line feeds and tabs stay.
 */
export function plainText(text: string): string {
  return replaceInvisible(stripVTControlCharacters(text), (character) => (isLayout(character) ? character : ''))
}

/** Characters of a text that are kept back for the rest of an escape sequence. */
const mostHeld = 200

/** `plainText` of a text that comes in pieces: an escape sequence may begin in one and end in another. */
export class ArrivingText {
  #held = ''

  /** What can be shown of the text with this piece: nothing from an escape sequence on, as long as that may be short. */
  take(piece: string): string {
    const all = this.#held + piece
    const first = all.search(introducer)
    if (first < 0) return this.#show(all, all.length)
    if (all.length - first <= mostHeld) return this.#show(all, first)
    const last = Math.max(all.lastIndexOf('\u001b'), all.lastIndexOf('\u009b'))
    return this.#show(all, all.length - last > mostHeld ? all.length : last)
  }

  /** What was kept back, where nothing more comes. */
  end(): string {
    return this.#show(this.#held, this.#held.length)
  }

  #show(text: string, end: number): string {
    this.#held = text.slice(end)
    return plainText(text.slice(0, end))
  }
}

/** `plainText` on one line, white space collapsed, at most `limit` characters. */
export function oneLine(text: string, limit = 200): string {
  const characters = [...plainText(text).replace(/\s+/g, ' ').trim()]
  return characters.length <= limit ? characters.join('') : `${characters.slice(0, limit - 1).join('')}…`
}

/** Text somebody is asked to approve: nothing is left out, what would act or not be seen is spelled `\u{1b}`. */
export function visibleText(text: string): string {
  return replaceInvisible(text, (character) =>
    isLayout(character) ? character : `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  )
}

/** JSON on one line that is safe on a terminal and still the same JSON. */
export function safeJson(value: unknown): string {
  return replaceInvisible(JSON.stringify(value), (character) =>
    character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

/** Begins an escape sequence. */
// oxlint-disable-next-line no-control-regex
const introducer = /[\u001b\u009b]/

function isLayout(character: string): boolean {
  return character === '\n' || character === '\t'
}
