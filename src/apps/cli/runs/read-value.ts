import type { Json } from '../../../index.ts'
import { misuse } from '../terminal/cli-error.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { SuspendedCall } from '../setup/suspended-calls.ts'

/** Parses JSON from the command line; throws an error with an example for other text. */
export function readJson(text: string, what: string): Json {
  const value = jsonOf(text)
  if (value !== undefined) return value
  throw misuse('bad_json', `${what} is not JSON: ${oneLine(text, 80)}`, `For example: '{"path":"notes.md"}'`)
}

/** Returns the value that answers a call: the trimmed text, or JSON if the call's schema requires another type. */
export function readValue(text: string, call: SuspendedCall | undefined): Json {
  return readTyped(text, call?.responseSchema?.['type'])
}

/** Returns a value of a type: the trimmed text, or JSON. Throws for other text. */
export function readTyped(text: string, type: Json | undefined): Json {
  const takesText = type === undefined || [type].flat().includes('string')
  return takesText ? text.trim() : readJson(text, `The value (expected: ${JSON.stringify(type)})`)
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
