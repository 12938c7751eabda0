import { frozenCopy, type Json, owned } from '../../domain/text/json.ts'
import { mayHoldRefusedKey, parseJson } from '../../domain/text/parse-json.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'

/** Returns a value as JSON text. Throws a TypeError for a value that `parseJson` would not return. */
export function stringifyJson(value: unknown, what: string): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
    if (text !== undefined && mayHoldRefusedKey(text)) parseJson(text)
  } catch (cause) {
    throw new TypeError(`${what} cannot be stored: ${thrownText(cause)}. Pass plain JSON.`, { cause })
  }
  if (text === undefined) throw new TypeError(`${what} cannot be stored: it is ${typeof value}. Pass plain JSON.`)
  return text
}

/** JSON in its stored form: text, or the frozen value itself if rows are in memory. */
export type KeptJson = string | { readonly value: Json }

/**
 * The JSON encoding of a store; throws a `TypeError` for a value that would not be read back. Values that may contain
 * large files have the `seq` of their entry, and the input of a run 0.
 */
export type KeepJson = (value: unknown, what: string, seq?: number) => KeptJson

/** Returns a frozen copy, without making text. A value without such a copy fails as its text would. */
export function keepFrozen(value: unknown, what: string): KeptJson {
  return keep(frozenCopy(value), value, what)
}

/** Keeps the value of a commit as `keepFrozen` does. Frozen parts are frozen at every depth and are not copied. */
export function keepCommitted(value: unknown, what: string): KeptJson {
  return keep(owned(value), value, what)
}

function keep(copied: unknown, value: unknown, what: string): KeptJson {
  const copy = copied as Json | undefined
  return copy === undefined ? { value: parseJson(stringifyJson(value, what)) } : { value: copy }
}

/** Returns the text of stored JSON. */
export function textOf(kept: KeptJson): string {
  return typeof kept === 'string' ? kept : JSON.stringify(kept.value)
}

/** Returns the value of stored JSON; throws a SyntaxError for text that is not JSON or contains a rejected key. */
export function readKept(kept: KeptJson): Json {
  return typeof kept === 'string' ? parseJson(kept) : kept.value
}
