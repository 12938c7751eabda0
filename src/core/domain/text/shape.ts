import { isRecord } from './json.ts'

/** A predicate for any value. */
export type Fits = (value: unknown) => boolean

/** The checked fields of an object, each with its predicate. */
export type Fields<Value> = { readonly [Field in keyof Value]?: Fits }

/** Returns true for a text. */
export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** Returns true for a text that is not blank and that every store returns unchanged. */
export function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.isWellFormed()
}

/** Returns true for a number; in JSON, all numbers are finite. */
export function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

/** Returns true for a finite number of 0 or more. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** Returns true for a boolean. */
export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

/** Returns true for a value that is not undefined. */
export function isThere(value: unknown): boolean {
  return value !== undefined
}

/** Returns a predicate that accepts undefined and the values that fit. */
export function isMissingOr(fits: Fits): Fits {
  return (value) => value === undefined || fits(value)
}

/** Returns a predicate that accepts one of some words. */
export function isOneOf<Word extends string>(...words: readonly Word[]): (value: unknown) => value is Word {
  return (value): value is Word => (words as readonly unknown[]).includes(value)
}

/** Returns a predicate that accepts a list whose items all fit. */
export function isListOf<Item>(fits: (value: unknown) => value is Item) {
  return (value: unknown): value is readonly Item[] => Array.isArray(value) && value.every((item) => fits(item))
}

/** Returns true for a list of texts. */
export const isTexts = isListOf(isText)

/** Returns a predicate that accepts an object whose fields all fit, with any names. */
export function isByName<Value>(fits: (value: unknown) => value is Value) {
  return (value: unknown): value is Readonly<Record<string, Value>> =>
    isRecord(value) && Object.values(value).every((field) => fits(field))
}

/** Returns true for texts by name. */
export const isTextsByName = isByName(isText)

/** Returns a predicate that accepts an object with a text in each of these fields. */
export function hasTexts<Value>(...names: readonly (keyof Value & string)[]): (value: unknown) => value is Value {
  return (value): value is Value => isRecord(value) && names.every((name) => isText(value[name]))
}

/** Returns a predicate that accepts an object whose named fields fit; other fields are not checked. */
export function isShaped<Value>(fields: Fields<Value>): (value: unknown) => value is Value {
  const checks = Object.entries(fields) as readonly (readonly [string, Fits])[]
  return (value): value is Value => isRecord(value) && checks.every(([field, fits]) => fits(value[field]))
}
