import { isPlainObject } from './json-copy.ts'
import { isRecord } from './json.ts'
import { nearestName } from './nearest-name.ts'
import { type Fits, isAmount, isBoolean, isFilledText, isNumber, isText } from './shape.ts'
import { UsageError } from './usage-error.ts'

/** Which option is meant: `field` may be a way such as `retry.factor`, `owner` is who takes it. */
export interface OptionName {
  readonly field: string
  readonly owner?: string
}

/** Throws a `UsageError` where a value is none the option takes. */
export type OptionCheck = (value: unknown, option: OptionName) => void

/** A check for every field of an options object, so that a field without one does not compile. */
export type OptionShape<Options> = { readonly [Field in keyof Options]-?: OptionCheck }

/** What a field that does not exist is called here, by what it is called elsewhere. */
export type OtherNames = Readonly<Record<string, string>>

/**
 * Checks an options object: that it has no field beside those of its shape, and each by its check. `owner` is who takes
 * the options, e.g. `tool "pay"`. An instance of a class may have fields of its own.
 */
export function checkOptions<Options>(
  owner: string,
  given: unknown,
  shape: OptionShape<Options>,
  otherNames: OtherNames = {},
): void {
  if (!isRecord(given)) {
    throw new UsageError('bad_option', `The options of ${owner} are ${shown(given)}. Expected an object.`)
  }
  checkFields(given, shape, otherNames, (field) => ({ field, owner }))
}

function checkFields(
  given: Readonly<Record<string, unknown>>,
  shape: Readonly<Record<string, OptionCheck>>,
  otherNames: OtherNames,
  nameOf: (field: string) => OptionName,
): void {
  const known = Object.keys(shape)
  const unknown = isPlainObject(given) ? Object.keys(given).find((field) => !Object.hasOwn(shape, field)) : undefined
  if (unknown !== undefined) {
    const meant = Object.hasOwn(otherNames, unknown) ? otherNames[unknown] : nearestName(unknown, known)
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
    throw new UsageError('bad_option', `${said(nameOf(unknown))} is not known.${hint} Known: ${known.join(', ')}.`)
  }
  for (const [field, check] of Object.entries(shape)) check(given[field], nameOf(field))
}

/** The refusal of an option's value; `wish` is what was expected. A text that may hold a secret is not repeated. */
export function badOption(option: OptionName, value: unknown, wish: string): UsageError {
  if (value === undefined) return new UsageError('bad_option', `${said(option)} is missing. ${wish}`)
  const given = typeof value === 'string' && value !== '' && holdsSecret(option) ? '[secret]' : shown(value)
  return new UsageError('bad_option', `${said(option)} is ${given}, which is refused. ${wish}`)
}

/** Options that hold secrets by their names; the names of variables have a list of their own, which apps need not load. */
const secretOption = /(?:key|token|secrets?|password|auth|bearer|headers|env|environment|variables)(?:$|[.[])/i

function holdsSecret({ field }: OptionName): boolean {
  return secretOption.test(field)
}

function said({ field, owner }: OptionName): string {
  return owner === undefined ? `Option ${field}` : `Option ${field} of ${owner}`
}

/** The check of an option that may be left out. */
export function optional(check: OptionCheck): OptionCheck {
  return (value, option) => {
    if (value !== undefined) check(value, option)
  }
}

/** The check of an option whose value is looked at where it is read. */
export const checkedElsewhere: OptionCheck = () => {}

/** The check of a value that fits; `wish` says what was expected. */
export function expecting(wish: string, fits: Fits): OptionCheck {
  return (value, option) => {
    if (!fits(value)) throw badOption(option, value, `Expected ${wish}.`)
  }
}

/** The check of a text. */
export const text = expecting('a text', isText)

/** The check of a text that says something and that every store gives back as it was. */
export const filledText = expecting('a text that is not empty', isFilledText)

/** The check of a function. */
export const callback = expecting('a function', (value) => typeof value === 'function')

/** The check of a signal that cancels. */
export const signal = expecting('an AbortSignal', (value) => value instanceof AbortSignal)

/** The check of true or false. */
export const flag = expecting('true or false', isBoolean)

/** The check of a number; `wish` says which ones `fits` takes. */
export function number(wish: string, fits: (value: number) => boolean): OptionCheck {
  return expecting(wish, (value) => isNumber(value) && fits(value))
}

/** The check of a finite number of 0 or more. */
export const amount = expecting('a finite number of 0 or more', isAmount)

/** The check of one of some words. */
export function oneOf(...words: readonly string[]): OptionCheck {
  return (value, option) => {
    if (typeof value === 'string' && words.includes(value)) return
    const nearest = typeof value === 'string' ? nearestName(value, words) : undefined
    const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
    throw badOption(option, value, `Expected ${listed(words)}.${hint}`)
  }
}

/** The check of a list, item by item. */
export function listOf(check: OptionCheck): OptionCheck {
  return (value, option) => {
    if (!Array.isArray(value)) throw badOption(option, value, 'Expected a list.')
    for (const [index, item] of value.entries()) check(item, { ...option, field: `${option.field}[${index}]` })
  }
}

/** The check of an object that has some methods. */
export function having(what: string, ...methods: readonly string[]): OptionCheck {
  return (value, option) => {
    if (!isRecord(value)) throw badOption(option, value, `Expected ${what}.`)
    const missing = methods.find((method) => typeof value[method] !== 'function')
    if (missing !== undefined) throw badOption(option, value, `Expected ${what}; it has no method ${missing}.`)
  }
}

/** The check of an object whose fields are options themselves. */
export function options<Options>(shape: OptionShape<Options>, otherNames: OtherNames = {}): OptionCheck {
  return (value, option) => {
    if (!isRecord(value)) throw badOption(option, value, 'Expected an object.')
    checkFields(value, shape, otherNames, (field) => ({ ...option, field: `${option.field}.${field}` }))
  }
}

/** The check that the first word passes, and any other value only by `check`. */
export function either(word: unknown, check: OptionCheck): OptionCheck {
  return (value, option) => {
    if (value !== word) check(value, option)
  }
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`
}

/** An object by its kinds of values: it may hold itself, or what no text can show. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.replace(/\/\/[^\s/]*@/, '//[secret]@').slice(0, 100))
  if (Array.isArray(value)) return 'an array'
  if (!isRecord(value)) return typeof value === 'function' ? 'a function' : String(value)
  const entries = Object.entries(value).map(([key, entry]) => `${key}: ${typeof entry}`)
  return `{ ${entries.join(', ')} }`
}
