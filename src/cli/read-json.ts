import { misuse } from './cli-error.ts'
import { oneLine } from './safe-text.ts'
import type { Json } from './stored.ts'
import type { SuspendedCall } from './suspended-calls.ts'

/** JSON given on the command line; refused with an example where it is none. */
export function readJson(text: string, what: string): Json {
  const value = jsonOf(text)
  if (value !== undefined) return value
  throw misuse('bad_json', `${what} is not JSON: ${oneLine(text, 80)}`, `For example: '{"path":"notes.md"}'`)
}

/** The value somebody answers a call with: the text, trimmed, unless the call's schema asks for another type. */
export function readValue(text: string, call: SuspendedCall | undefined): Json {
  const type = call?.responseSchema?.['type']
  const takesText = type === undefined || [type].flat().includes('string')
  return takesText ? text.trim() : readJson(text, `The value (${JSON.stringify(type)} is asked for)`)
}

/** The JSON a text holds; undefined where it holds none. */
export function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
