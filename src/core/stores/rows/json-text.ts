import { frozenCopy, type Json, owned } from '../../domain/text/json.ts'
import { mayHoldRefusedKey, parseJson } from '../../domain/text/parse-json.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'

/** JSON text of a value; throws a TypeError for a value that `parseJson` would not give back. */
export function stringifyJson(value: unknown, what: string): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
    if (text !== undefined && mayHoldRefusedKey(text)) parseJson(text)
  } catch (cause) {
    throw new TypeError(`${what} cannot be stored: ${thrownText(cause)}. Hand in plain JSON.`, { cause })
  }
  if (text === undefined) throw new TypeError(`${what} cannot be stored: it is ${typeof value}. Hand in plain JSON.`)
  return text
}

/** JSON as rows keep it: its text, or the frozen value itself if rows live in memory. */
export type KeptJson = string | { readonly value: Json }

/**
 * The JSON encoding of a store; throws a `TypeError` for a value that would not come back. What may hold large files has the
 * `seq` of its entry, and the input of a run 0.
 */
export type KeepJson = (value: unknown, what: string, seq?: number) => KeptJson

/** Keeps a frozen copy, and makes no text of it; a value that has no such copy fails as its text would. */
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

/** The text of kept JSON. */
export function textOf(kept: KeptJson): string {
  return typeof kept === 'string' ? kept : JSON.stringify(kept.value)
}

/** The value of kept JSON; throws a SyntaxError for text that is not JSON or holds a refused key. */
export function readKept(kept: KeptJson): Json {
  return typeof kept === 'string' ? parseJson(kept) : kept.value
}
