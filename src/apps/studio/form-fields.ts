import type { Json, JsonObject } from '../../index.ts'

/** One field of a form, for one part of the value. */
export interface FormField {
  /** Keys from the outside in; none if the value itself is not an object. */
  readonly path: readonly string[]
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json'
  readonly label: string
  readonly description: string
  readonly isRequired: boolean
  readonly choices: readonly Json[]
}

/** The values of the fields, by `nameOf`. */
export type Draft = Readonly<Record<string, string>>

/** A value that was read from a form, or the problems by the names of the fields. */
export type ReadForm =
  | { readonly value: Json; readonly problems?: undefined }
  | { readonly problems: Readonly<Record<string, string>> }

/** The maximum depth of nested objects with their own fields, and the maximum number of fields. */
const deepest = 4
const mostFields = 100

/** Returns the fields of a schema, or one field for JSON if the schema describes nothing that a form could show. */
export function fieldsOf(schema: JsonObject): readonly FormField[] {
  const fields = fieldsAt(schema, [], true)
  return fields.length > mostFields ? [jsonField([], '', true)] : fields
}

/** Returns a schema that fits a value, for a call without a schema. */
export function schemaOf(value: Json): JsonObject {
  if (value === null || Array.isArray(value)) return {}
  if (typeof value !== 'object') return { type: typeof value }
  const properties = Object.entries(value).map(([key, inner]) => [key, schemaOf(inner)])
  return { type: 'object', properties: Object.fromEntries(properties), required: Object.keys(value) }
}

/** Returns the values of the fields for a value. */
export function draftOf(fields: readonly FormField[], value: Json | undefined): Draft {
  return Object.fromEntries(fields.map((field) => [nameOf(field), textIn(field, valueAt(value, field.path))]))
}

/** Returns the name of a field in a draft. */
export function nameOf({ path }: FormField): string {
  return JSON.stringify(path)
}

/** Returns the value of the form's fields, based on the previous value. */
export function readForm(fields: readonly FormField[], draft: Draft, before: Json | undefined): ReadForm {
  const problems: Record<string, string> = {}
  let value: Json = fields.some(({ path }) => path.length > 0) ? objectOf(before) : null
  for (const field of fields) {
    const name = nameOf(field)
    const text = draft[name] ?? ''
    if (text === '' && (!field.isRequired || field.kind === 'boolean') && field.kind !== 'text') {
      if (field.isRequired) problems[name] = 'Choose one.'
      else value = without(value, field.path)
      continue
    }
    if (text === '' && !field.isRequired) {
      value = without(value, field.path)
      continue
    }
    const read = readText(field, text)
    if ('problem' in read) problems[name] = read.problem
    else value = withValue(value, field.path, read.value)
  }
  return Object.keys(problems).length > 0 ? { problems } : { value }
}

function fieldsAt(schema: JsonObject, path: readonly string[], isRequired: boolean): readonly FormField[] {
  const { type, properties, required, description, title } = schema
  const label = typeof title === 'string' ? title : (path.at(-1) ?? '')
  const shared = { path, label, description: typeof description === 'string' ? description : '', isRequired }
  if (Array.isArray(schema['enum'])) return [{ ...shared, kind: 'choice', choices: schema['enum'] }]
  if (type === 'object' && isObject(properties) && path.length < deepest) {
    const needed = Array.isArray(required) ? required : []
    const entries = Object.entries(properties).filter(([, inner]) => isObject(inner))
    if (entries.length > 0) {
      return entries.flatMap(([key, inner]) =>
        fieldsAt(objectOf(inner), [...path, key], isRequired && needed.includes(key)),
      )
    }
  }
  if (type === 'string') return [{ ...shared, kind: 'text', choices: [] }]
  if (type === 'number' || type === 'integer' || type === 'boolean') return [{ ...shared, kind: type, choices: [] }]
  return [{ ...jsonField(path, label, isRequired), description: shared.description }]
}

function jsonField(path: readonly string[], label: string, isRequired: boolean): FormField {
  return { path, kind: 'json', label, description: '', isRequired, choices: [] }
}

function textIn({ kind }: FormField, value: Json | undefined): string {
  if (value === undefined) return ''
  if (kind === 'text' && typeof value === 'string') return value
  return kind === 'json' ? JSON.stringify(value, null, 2) : JSON.stringify(value)
}

function readText({ kind, choices }: FormField, text: string): { readonly value: Json } | { readonly problem: string } {
  switch (kind) {
    case 'text':
      return { value: text }
    case 'boolean':
      return { value: text === 'true' }
    case 'number':
    case 'integer': {
      const number = Number(text)
      if (text.trim() === '' || !Number.isFinite(number)) return { problem: 'Expected a number.' }
      return kind === 'integer' && !Number.isInteger(number)
        ? { problem: 'Expected a whole number.' }
        : { value: number }
    }
    case 'choice': {
      const chosen = choices.find((choice) => JSON.stringify(choice) === text)
      return chosen === undefined ? { problem: 'Choose one.' } : { value: chosen }
    }
    case 'json':
      try {
        return { value: JSON.parse(text) as Json }
      } catch {
        return { problem: 'Expected JSON: texts in double quotes, e.g. ["a", 1].' }
      }
  }
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  const [key, ...rest] = path
  if (key === undefined) return value
  return isObject(value) && Object.hasOwn(value, key) ? valueAt(value[key], rest) : undefined
}

function withValue(value: Json, path: readonly string[], inner: Json): Json {
  const [key, ...rest] = path
  if (key === undefined) return inner
  const outer = objectOf(value)
  return { ...outer, [key]: withValue(outer[key] ?? null, rest, inner) }
}

function without(value: Json, path: readonly string[]): Json {
  const [key, ...rest] = path
  if (key === undefined || !isObject(value) || !Object.hasOwn(value, key)) return value
  const { [key]: inner, ...others } = value
  return rest.length === 0 ? others : { ...others, [key]: without(inner ?? null, rest) }
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
