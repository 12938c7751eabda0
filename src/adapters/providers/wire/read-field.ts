import { isRecord, type Json } from '../../../core/domain/text/json.ts'

/**
 * The packages pass on what a server sent, which may differ from their types. Each reader throws a `TypeError` that
 * names the field if its value has another type; an optional field may also be null.
 */

/** Returns the text in a required field. */
export function textIn(value: unknown, field: string): string {
  if (typeof value === 'string') return value
  throw misfit(value, field, 'a text')
}

/** Returns the text in an optional field. */
export function optionalText(value: unknown, field: string): string | undefined {
  return isMissing(value) ? undefined : textIn(value, field)
}

/** Returns the index in a field, such as that of a block, or 0 if it is missing. */
export function placeIn(value: unknown, field: string): number {
  if (isMissing(value)) return 0
  if (typeof value === 'number') return value
  throw misfit(value, field, 'a number')
}

/** Returns a copy of a part of an event, which the SDK has read from JSON. */
export function jsonIn(part: object): Record<string, Json> {
  return structuredClone(part) as Record<string, Json>
}

/** Returns the count in an optional field, such as a number of tokens. */
export function countIn(value: unknown, field: string): number | undefined {
  if (isMissing(value)) return undefined
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  throw misfit(value, field, 'a count')
}

/**
 * Returns the larger of an earlier count and the one in a field. Servers repeat their counts, and some send zeros in a
 * late chunk.
 */
export function largerCount(before: number, value: unknown, field: string): number {
  return Math.max(before, countIn(value, field) ?? 0)
}

/** Returns the text of a call's arguments, which some servers send as an object; an empty one if they are missing. */
export function argumentsIn(value: unknown, field: string): string {
  if (isRecord(value)) return JSON.stringify(value)
  return optionalText(value, field) ?? ''
}

/** Returns the object in a field, with the package's type. */
export function recordIn<Value>(value: Value, field: string): NonNullable<Value> {
  if (isRecord(value)) return value
  throw misfit(value, field, 'an object')
}

/** Returns the object in an optional field. */
export function optionalRecord<Value>(value: Value, field: string): NonNullable<Value> | undefined {
  return isMissing(value) ? undefined : recordIn(value, field)
}

/** Returns the objects of a list; none if it is missing. */
export function recordsIn<Item>(value: readonly Item[] | null | undefined, field: string): readonly Item[] {
  if (isMissing(value)) return []
  if (!Array.isArray(value)) throw misfit(value, field, 'a list')
  for (const item of value) recordIn<unknown>(item, `${field}[]`)
  return value
}

function isMissing(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

function misfit(value: unknown, field: string, expected: string): TypeError {
  return new TypeError(`The field ${field} holds ${kindOf(value)}, expected ${expected}.`)
}

function kindOf(value: unknown): string {
  if (isMissing(value)) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'number') return `the number ${value}`
  return typeof value === 'object' ? 'an object' : `a ${typeof value === 'string' ? 'text' : typeof value}`
}
