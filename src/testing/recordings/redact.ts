import { isRecord, type Json, type JsonObject } from '../../core/domain/text/json.ts'
import type { Tool } from '../../core/ports/tool.ts'
import { jsonSchemaOf } from '../paths/sample-of.ts'
import type { RecordedAnswer, RecordedDecision, RecordedResult, Recording } from './recording.ts'

/** A recording without the values that were not allowed, and the names of the hidden fields. */
export interface Redacted {
  readonly recording: Recording
  /** The fields with hidden values, such as `prompt` or `send.to`, each once. */
  readonly hidden: readonly string[]
}

/**
 * Replaces every text, number and undeclared key by a placeholder, unless its field is allowed. Equal values get equal
 * placeholders. Declared keys and constants of a tool's schema, call ids and tool names are part of the program and
 * stay. A field is `prompt`, `answers`, `said`, `results.<tool>`, `decisions`, or a tool's name and the path of its
 * argument; allowing a field allows everything below it.
 */
export function redact(recording: Recording, tools: readonly Tool[], allowed: readonly string[]): Redacted {
  const hiding = new Hiding(allowed)
  const schemas = new Map(tools.map(({ name, input }) => [name, jsonSchemaOf(input)]))
  const toolOf = new Map(
    recording.answers.flatMap(({ calls = [] }, index) => calls.map(({ id, name }) => [`${index + 1}.${id}`, name])),
  )
  const argumentsOf = (name: string, value: Json) => hiding.value(value, name, schemas.get(name))
  const answers = recording.answers.map(({ text, calls }): RecordedAnswer => ({
    ...(text === undefined ? {} : { text: hiding.text(text, 'answers') }),
    ...(calls === undefined
      ? {}
      : { calls: calls.map((call) => ({ ...call, arguments: argumentsOf(call.name, call.arguments) })) }),
  }))
  const results = Object.entries(recording.results).map(([id, result]): readonly [string, RecordedResult] => [
    id,
    { ...result, text: hiding.text(result.text, `results.${toolOf.get(id) ?? ''}`) },
  ])
  const decisions = recording.decisions.map((decision): RecordedDecision => {
    const { input, result, reason, by, ...rest } = decision
    return {
      ...rest,
      ...(input === undefined ? {} : { input: argumentsOf(toolOf.get(decision.call) ?? '', input) }),
      ...(result === undefined ? {} : { result: hiding.value(result, 'decisions', undefined) }),
      ...(reason === undefined ? {} : { reason: hiding.text(reason, 'decisions') }),
      ...(by === undefined ? {} : { by: hiding.text(by, 'decisions') }),
    }
  })
  const said = recording.said.map((message) => ({ ...message, text: hiding.text(message.text, 'said') }))
  const prompt = hiding.text(recording.prompt, 'prompt')
  return {
    recording: { ...recording, prompt, answers, results: Object.fromEntries(results), decisions, said },
    hidden: [...hiding.fields],
  }
}

/** The values that are hidden so far, with their placeholders. */
class Hiding {
  readonly fields = new Set<string>()
  readonly #allowed: readonly string[]
  readonly #texts = new Map<string, string>()
  readonly #numbers = new Map<number, number>()

  constructor(allowed: readonly string[]) {
    this.#allowed = allowed
  }

  text(given: string, field: string): string {
    if (given === '' || this.#isAllowed(field)) return given
    this.fields.add(field)
    const found = this.#texts.get(given) ?? placeholderOf(given, this.#texts.size + 1)
    this.#texts.set(given, found)
    return found
  }

  value(given: Json, field: string, schema: JsonObject | undefined): Json {
    if (given === null || typeof given === 'boolean' || isConstant(given, schema)) return given
    if (typeof given === 'string') return this.text(given, field)
    if (typeof given === 'number') return this.#number(given, field)
    if (Array.isArray(given)) return given.map((item: Json) => this.value(item, field, part(schema, 'items')))
    const properties = part(schema, 'properties')
    return Object.fromEntries(
      Object.entries(given).map(([key, item]) => {
        const isDeclared = properties !== undefined && Object.hasOwn(properties, key)
        const name = isDeclared ? key : this.text(key, field)
        return [name, this.value(item, `${field}.${key}`, part(properties, key))]
      }),
    )
  }

  #number(given: number, field: string): number {
    if (this.#isAllowed(field)) return given
    this.fields.add(field)
    const next = this.#numbers.size + 1
    const found = this.#numbers.get(given) ?? (Number.isInteger(given) ? next : next + 0.5)
    this.#numbers.set(given, found)
    return found
  }

  #isAllowed(field: string): boolean {
    return this.#allowed.some((one) => field === one || field.startsWith(`${one}.`))
  }
}

/** Texts of these forms get placeholders of the same form, so that a schema's `format` still accepts them. */
const forms: readonly (readonly [RegExp, (count: number) => string])[] = [
  [/^[^\s@]+@[^\s@]+\.[^\s@]+$/, (count) => `hidden-${count}@example.com`],
  [/^https?:\/\/\S+$/, (count) => `https://example.com/hidden-${count}`],
  [
    /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
    (count) => `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`,
  ],
  [/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/, (count) => new Date(count * 86_400_000).toISOString()],
  [/^\d{4}-\d\d-\d\d$/, (count) => new Date(count * 86_400_000).toISOString().slice(0, 10)],
]

function placeholderOf(given: string, count: number): string {
  return forms.find(([pattern]) => pattern.test(given))?.[1](count) ?? `hidden-${count}`
}

function part(schema: JsonObject | undefined, name: string): JsonObject | undefined {
  const found = schema !== undefined && Object.hasOwn(schema, name) ? schema[name] : undefined
  return isRecord(found) ? found : undefined
}

function isConstant(given: Json, schema: JsonObject | undefined): boolean {
  if (schema === undefined) return false
  const { const: only, enum: listed } = schema
  return (only !== undefined && only === given) || (Array.isArray(listed) && listed.includes(given))
}
