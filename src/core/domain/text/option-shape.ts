import { isPlainObject } from './json-copy.ts'
import { isRecord } from './json.ts'
import { nearestName } from './nearest-name.ts'
import { type Fits, isAmount, isBoolean, isFilledText, isNumber, isText } from './shape.ts'
import { UsageError } from './usage-error.ts'

// A file that needs many of these checks imports them as `is`: `path: is.optional(is.filledText)`.

/** The name of an option: `field` may be a path such as `retry.factor`, and `owner` is what has the option. */
export interface OptionName {
  readonly field: string
  readonly owner?: string
}

/** A check that throws a `UsageError` for an invalid value of an option. */
export type OptionCheck = (value: unknown, option: OptionName) => void

/** A check for every field of an options object, so that a field without a check does not compile. */
export type OptionShape<Options> = { readonly [Field in keyof Options]-?: OptionCheck }

/** The correct names for fields that have other names elsewhere. */
export type OtherNames = Readonly<Record<string, string>>

/**
 * Checks an options object: each field by its check, and unknown fields. `owner` is the owner of the options, e.g.
 * `tool "pay"`. A class instance may have other fields.
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

/** Returns the error for an option's value; `wish` is the expectation. A text that may be a secret is not repeated. */
export function badOption(option: OptionName, value: unknown, wish: string): UsageError {
  if (value === undefined) return new UsageError('bad_option', `${said(option)} is missing. ${wish}`)
  const given = typeof value === 'string' && value !== '' && secretOption.test(option.field) ? '[secret]' : shown(value)
  return new UsageError('bad_option', `${said(option)} is ${given}, which is refused. ${wish}`)
}

/** Option names that hold secrets; variable names have a separate list, which applications need not load. */
const secretOption = /(?:key|token|secrets?|password|auth|bearer|headers|env|environment|variables)(?:$|[.[])/i

function said({ field, owner }: OptionName): string {
  return owner === undefined ? `Option ${field}` : `Option ${field} of ${owner}`
}

/** Returns the check of an optional option. */
export function optional(check: OptionCheck): OptionCheck {
  return (value, option) => {
    if (value !== undefined) check(value, option)
  }
}

/** The check of an option whose value is checked where it is used. */
export const checkedElsewhere: OptionCheck = () => {}

/** Returns the shape of options that are all checked at their use, from the names of all their fields. */
export function unchecked<Options>(...fields: readonly (keyof Options & string)[]): OptionShape<Options> {
  return Object.fromEntries(fields.map((field) => [field, checkedElsewhere])) as OptionShape<Options>
}

/** Returns the check of a value by a predicate; `wish` is the expectation. */
export function expecting(wish: string, fits: Fits): OptionCheck {
  return (value, option) => {
    if (!fits(value)) throw badOption(option, value, `Expected ${wish}.`)
  }
}

/** The check of a text. */
export const text = expecting('a text', isText)

/** The check of a text that is not blank and that every store returns unchanged. */
export const filledText = expecting('a non-empty text', isFilledText)

/** The check of a function. */
export const callback = expecting('a function', (value) => typeof value === 'function')

/** The check of a signal that cancels. */
export const signal = expecting('an AbortSignal', (value) => value instanceof AbortSignal)

/** The check of true or false. */
export const flag = expecting('true or false', isBoolean)

/** Returns the check of a number by a predicate; `wish` is the expectation. */
export function number(wish: string, fits: (value: number) => boolean): OptionCheck {
  return expecting(wish, (value) => isNumber(value) && fits(value))
}

/** Returns the check of a whole number of this size or more. */
export function wholeFrom(least: 0 | 1): OptionCheck {
  return number(`a whole number of ${least} or more`, (value) => Number.isSafeInteger(value) && value >= least)
}

/** The check of a finite number of 0 or more. */
export const amount = expecting('a finite number of 0 or more', isAmount)

/** Returns the check of one of some words. */
export function oneOf(...words: readonly string[]): OptionCheck {
  return (value, option) => {
    if (typeof value === 'string' && words.includes(value)) return
    const nearest = typeof value === 'string' ? nearestName(value, words) : undefined
    const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
    throw badOption(option, value, `Expected ${listed(words)}.${hint}`)
  }
}

/** Returns the check of a list, item by item. */
export function listOf(check: OptionCheck): OptionCheck {
  return (value, option) => {
    if (!Array.isArray(value)) throw badOption(option, value, 'Expected a list.')
    for (const [index, item] of value.entries()) check(item, { ...option, field: `${option.field}[${index}]` })
  }
}

/** Returns the check of an object with some methods. */
export function having(what: string, ...methods: readonly string[]): OptionCheck {
  return (value, option) => {
    if (!isRecord(value)) throw badOption(option, value, `Expected ${what}.`)
    const missing = methods.find((method) => typeof value[method] !== 'function')
    if (missing !== undefined) throw badOption(option, value, `Expected ${what}; it has no method ${missing}.`)
  }
}

/** Returns the check of an object whose fields are options. */
export function options<Options>(shape: OptionShape<Options>, otherNames: OtherNames = {}): OptionCheck {
  return (value, option) => {
    if (!isRecord(value)) throw badOption(option, value, 'Expected an object.')
    checkFields(value, shape, otherNames, (field) => ({ ...option, field: `${option.field}.${field}` }))
  }
}

/** Returns a check that accepts one word, and checks any other value with `check`. */
export function either(word: unknown, check: OptionCheck): OptionCheck {
  return (value, option) => {
    if (value !== word) check(value, option)
  }
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`
}

/** Describes a value; an object by the types of its fields, because it may be cyclic or not convertible to text. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.replace(/\/\/[^\s/]*@/, '//[secret]@').slice(0, 100))
  if (Array.isArray(value)) return 'an array'
  if (!isRecord(value)) return typeof value === 'function' ? 'a function' : String(value)
  const entries = Object.entries(value).map(([key, entry]) => `${key}: ${typeof entry}`)
  return `{ ${entries.join(', ')} }`
}
