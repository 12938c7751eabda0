import { isRecord } from '../text/json.ts'
import { findReferences } from './find-references.ts'
import { keywordProblem } from './keyword-problem.ts'
import { escapedKey, isSubSchema, mapSubschemas, type SubSchema } from './subschemas.ts'

/**
 * The handling of formats: `checked` rejects a text that does not fit its schema's `format`, and `ignored` treats a
 * format as an annotation.
 */
export type Formats = 'checked' | 'ignored'

/** A schema in the form that the validator accepts. */
export interface CheckableSchema {
  readonly schema: SubSchema
  readonly draft: '4' | '7' | '2019-09' | '2020-12'
  /** The schemas that references lead to, by the text in `$ref`. */
  readonly targets: Readonly<Record<string, SubSchema>>
}

class SchemaProblem extends Error {}

/** The formats that are checked; other formats are annotations. */
const checkedFormats = new Set(['date-time', 'date', 'time', 'email', 'uri', 'uuid', 'ipv4', 'ipv6'])

/** The vocabulary of JSON Schema 2020-12 that requires a check of every format. */
const assertion = 'https://json-schema.org/draft/2020-12/vocab/format-assertion'

/** Keywords that name or reference schemas; the copy has only `$ref`. */
const naming = new Set(['$id', 'id', '$anchor', '$dynamicAnchor', '$recursiveAnchor'])
const referring = ['$ref', '$dynamicRef', '$recursiveRef']

/**
 * Returns a schema for the validator: with the draft of its `$schema`, references inside the document, patterns that
 * compile, and the checked formats. Throws a `SchemaProblem` for a schema that cannot be checked.
 */
export function checkableSchema(root: SubSchema, formats: Formats = 'checked'): CheckableSchema {
  const draft = draftOf(root)
  const find = findReferences(root, draft === '4')
  const isFormat = formatsOf(root, formats)
  const copies = new Map<SubSchema, SubSchema>()
  const names = new Map<SubSchema, string>()
  const targets: Record<string, SubSchema> = {}

  function copyOf(schema: SubSchema, place: string): SubSchema {
    if (!isRecord(schema)) return schema
    const known = copies.get(schema)
    if (known !== undefined) return known
    const copy: Record<string, unknown> = {}
    copies.set(schema, copy)
    const references = referring.flatMap((key) => (key in schema ? [referenceTo(schema, key, place)] : []))
    const isAlone = references.length > 0 && (draft === '4' || draft === '7')
    if (!isAlone) copyKeywords(schema, copy, place)
    const [first, ...others] = references
    if (first !== undefined) copy['$ref'] = first
    if (others.length > 0) copy['allOf'] = [...listIn(copy['allOf']), ...others.map(($ref) => ({ $ref }))]
    return copy
  }

  function copyKeywords(schema: Readonly<Record<string, unknown>>, copy: Record<string, unknown>, place: string): void {
    for (const [key, value] of Object.entries(schema)) {
      if (naming.has(key) || referring.includes(key)) continue
      const problem = keywordProblem(key, value)
      if (problem !== undefined) throw new SchemaProblem(`${place || '#'}: ${problem}.`)
      if (key === 'format' && !isFormat(value)) continue
      copy[key] =
        key === 'pattern'
          ? unicodePattern(String(value))
          : withPatterns(key, mapSubschemas(key, value, `${place || '#'}/${escapedKey(key)}`, copyOf))
    }
  }

  function referenceTo(schema: Readonly<Record<string, unknown>>, key: string, place: string): string {
    const { [key]: reference } = schema
    const problem = keywordProblem(key, reference)
    if (problem !== undefined) throw new SchemaProblem(`${place || '#'}: ${problem}.`)
    const target = find(schema, String(reference))
    if (target === undefined)
      throw new SchemaProblem(
        `${place || '#'}: ${key} ${JSON.stringify(reference)} refers to no schema of the document.`,
      )
    const name = names.get(target) ?? `#${names.size}`
    if (!names.has(target)) {
      names.set(target, name)
      targets[name] = copyOf(target, String(reference))
    }
    return name
  }

  const schema = copyOf(root, '')
  const circle = findSelfReference([schema, ...Object.values(targets)], targets)
  if (circle !== undefined) throw new SchemaProblem(`#: ${circle}.`)
  return { schema, draft, targets }
}

/** Returns the reason, with its place, for which a schema cannot be checked, or undefined if it can. */
export function schemaProblem(root: SubSchema): string | undefined {
  try {
    checkableSchema(root)
    return undefined
  } catch (error) {
    if (error instanceof SchemaProblem) return error.message
    throw error
  }
}

/** Returns the draft that a document names, or the newest one if it names no known draft. */
function draftOf(root: SubSchema): CheckableSchema['draft'] {
  const $schema = isRecord(root) ? String(root['$schema']) : ''
  if (/draft-0?[34]\b/.test($schema)) return '4'
  if (/draft-0?[67]\b/.test($schema)) return '7'
  return $schema.includes('2019-09') ? '2019-09' : '2020-12'
}

function formatsOf(root: SubSchema, formats: Formats): (format: unknown) => boolean {
  const $vocabulary = isRecord(root) ? root['$vocabulary'] : undefined
  if (isRecord($vocabulary) && $vocabulary[assertion] === true) return () => true
  return (format) => formats === 'checked' && checkedFormats.has(String(format))
}

function withPatterns(key: string, value: unknown): unknown {
  if (key !== 'patternProperties' || !isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [unicodePattern(name), item]))
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/**
 * Returns a JSON Schema's pattern in a form that compiles with the `u` flag, which the validator sets. Many patterns
 * have escapes such as `\\-` and `\\_` that are only valid without the flag; they are replaced by their characters. A
 * pattern that still does not compile accepts every text.
 */
function unicodePattern(pattern: string): string {
  return [pattern, withPlainEscapes(pattern)].find(compiles) ?? ''
}

function withPlainEscapes(pattern: string): string {
  return pattern.replaceAll(/\\([\s\S])/g, (escape, character: string) =>
    /[^\w$()*+./?[\\\]^{|}]|_/.test(character) ? `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}` : escape,
  )
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** Keywords whose schemas apply to the value itself instead of a part of it. */
const lists = ['allOf', 'anyOf', 'oneOf']
const single = ['not', 'if', 'then', 'else']
const maps = ['dependentSchemas', 'dependencies']

/** Returns the problem if a schema applies itself to the same value and so never ends; else undefined. */
function findSelfReference(
  schemas: readonly SubSchema[],
  targets: Readonly<Record<string, SubSchema>>,
): string | undefined {
  const done = new Set<SubSchema>()
  const open = new Set<SubSchema>()

  function isCircle(schema: SubSchema): boolean {
    if (!isRecord(schema) || done.has(schema)) return false
    if (open.has(schema)) return true
    open.add(schema)
    const found = appliedBy(schema, targets).some(isCircle)
    open.delete(schema)
    done.add(schema)
    return found
  }

  return schemas.some(isCircle)
    ? 'a schema refers to itself for the same value, so that its check never ends'
    : undefined
}

function appliedBy(
  schema: Readonly<Record<string, unknown>>,
  targets: Readonly<Record<string, SubSchema>>,
): readonly SubSchema[] {
  const { $ref } = schema
  const target = typeof $ref === 'string' ? targets[$ref] : undefined
  const inLists = lists.flatMap((key) => (Array.isArray(schema[key]) ? (schema[key] as unknown[]) : []))
  const inMaps = maps.flatMap((key) => (isRecord(schema[key]) ? Object.values(schema[key]) : []))
  return [target, ...inLists, ...single.map((key) => schema[key]), ...inMaps].filter(isSubSchema)
}
