import type { NewRun } from '../../../core/ports/store.ts'

/** Precedes four digits of a character that Postgres cannot hold: NUL, half of a character, or this sign itself. */
const escape = '\x10'
const escaped = new RegExp(`${escape}([0-9a-f]{4})`, 'g')
const halves = /\p{Cs}/gu

/** Returns a text in a form that Postgres can store. */
export function safeText(text: string): string {
  if (text.isWellFormed() && !text.includes('\0') && !text.includes(escape)) return text
  return text.replaceAll(escape, inDigits).replaceAll('\0', inDigits).replace(halves, inDigits)
}

/** Returns the original of a stored text. */
export function originalText(text: string): string {
  if (!text.includes(escape)) return text
  return text.replace(escaped, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}

function inDigits(sign: string): string {
  return escape + sign.charCodeAt(0).toString(16).padStart(4, '0')
}

/** The maximum bytes of a key in its stored form that every Postgres index accepts and a notification can hold. */
const longestKey = 2000

/** Throws a RangeError for a run whose id or agent is too long for an index key. */
export function checkKeys({ id, agent }: Pick<NewRun, 'id' | 'agent'>): void {
  for (const [name, key] of [
    ['id', id],
    ['agent', agent],
  ] as const) {
    const bytes = Buffer.byteLength(safeText(key))
    if (bytes <= longestKey) continue
    const wish = `The Postgres store takes at most ${longestKey}: choose a shorter one.`
    throw new RangeError(`The ${name} of run "${id.slice(0, 100)}" has ${bytes} bytes. ${wish} Nothing was written.`)
  }
}
