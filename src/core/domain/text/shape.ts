import { isRecord } from './json.ts'

/** Says whether a value is what is wanted; any value may be handed in. */
export type Fits = (value: unknown) => boolean

/** The fields of an object that are looked at, each with what it has to be. */
export type Fields<Value> = { readonly [Field in keyof Value]?: Fits }

/** True for a text. */
export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** True for a text that says something and that every store gives back as it was. */
export function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.isWellFormed()
}

/** True for a number, of which JSON has the finite ones. */
export function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

/** True for a finite number of 0 or more. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** True for true and false. */
export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

/** True for what is there. */
export function isThere(value: unknown): boolean {
  return value !== undefined
}

/** True for what is not there, and for what fits. */
export function isMissingOr(fits: Fits): Fits {
  return (value) => value === undefined || fits(value)
}

/** True for one of some words. */
export function isOneOf<Word extends string>(...words: readonly Word[]): (value: unknown) => value is Word {
  return (value): value is Word => (words as readonly unknown[]).includes(value)
}

/** True for a list whose items all fit. */
export function isListOf<Item>(fits: (value: unknown) => value is Item) {
  return (value: unknown): value is readonly Item[] => Array.isArray(value) && value.every((item) => fits(item))
}

/** True for a list of texts. */
export const isTexts = isListOf(isText)

/** True for an object whose fields all fit, whatever they are called. */
export function isByName<Value>(fits: (value: unknown) => value is Value) {
  return (value: unknown): value is Readonly<Record<string, Value>> =>
    isRecord(value) && Object.values(value).every((field) => fits(field))
}

/** True for texts by name. */
export const isTextsByName = isByName(isText)

/** True for an object that holds a text in each of these fields. */
export function hasTexts<Value>(...names: readonly (keyof Value & string)[]): (value: unknown) => value is Value {
  return (value): value is Value => isRecord(value) && names.every((name) => isText(value[name]))
}

/** True for an object whose named fields fit; what else it holds is not looked at. */
export function isShaped<Value>(fields: Fields<Value>): (value: unknown) => value is Value {
  const checks = Object.entries(fields) as readonly (readonly [string, Fits])[]
  return (value): value is Value => isRecord(value) && checks.every(([field, fits]) => fits(value[field]))
}
