import type { OpenAI } from 'openai'
import type { ThinkingLevel } from '../../core/ports/model.ts'
import type { Line } from './wire/answer-stream.ts'
import { loadSdk } from './wire/load-sdk.ts'
import { longestTimerMs } from '../../core/domain/timer.ts'

/** A server that the package `openai` calls. */
export interface OpenAIServer {
  /** The environment variable of the key. */
  readonly variable: string
  /** Returns its address; called for each call. */
  readonly address: () => { readonly baseURL: string; readonly query?: Readonly<Record<string, string>> }
  /** Headers derived from the key instead of `authorization`; null omits one. */
  readonly headersFor?: (key: string) => Readonly<Record<string, string | null>>
}

/** Returns a client that neither retries nor writes to the console, on a watched line. */
export async function openaiClient(
  { address, headersFor }: OpenAIServer,
  key: string,
  headers: Readonly<Record<string, string>> | undefined,
  line: Line,
): Promise<OpenAI> {
  const sdk = await loadOpenAISdk()
  const { baseURL, query } = address()
  return new sdk.OpenAI({
    apiKey: key,
    baseURL,
    defaultHeaders: { ...headersFor?.(key), ...headers },
    ...(query === undefined ? {} : { defaultQuery: query }),
    fetch: line.fetch,
    maxRetries: 0,
    logLevel: 'off',
    timeout: longestTimerMs,
  })
}

/** Loads OpenAI's package. Throws a `ModelError` with the install command if it is missing. */
export function loadOpenAISdk() {
  return loadSdk('openai', () => import('openai'))
}

/**
 * Returns the effort for a thinking level. `off` becomes the lowest effort of the model: `none` from gpt-5.1 to 6.0,
 * `low` from 6.1, no effort for others; no model rejects `low`.
 */
export function effortFor(model: string, level: ThinkingLevel | undefined) {
  if (level !== 'off') return level === 'minimal' ? 'low' : level
  const generation = generationOf(model)
  if (generation > 600) return 'low'
  return generation > 500 ? 'none' : undefined
}

/** Returns true if a model refuses a temperature, as reasoning models do unless reasoning is off. */
export function refusesTemperature(model: string, effort: string | undefined): boolean {
  return reasons(model) && effort !== 'none'
}

/** Returns true for OpenAI's reasoning models, by their names. */
export function reasons(model: string): boolean {
  return /^o\d/.test(model) || (generationOf(model) >= 500 && !model.includes('-chat'))
}

/** 601 for gpt-6.1; 0 for any other model. */
function generationOf(model: string): number {
  const match = /^gpt-(\d+)(?:\.(\d+))?/.exec(model)
  return match === null ? 0 : Number(match[1]) * 100 + Number(match[2] ?? 0)
}

/** Returns true for an object schema that, at every depth, requires each of its properties and allows no other. */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema)
  if (typeof schema !== 'object' || schema === null) return true
  const { type, properties, required, additionalProperties } = Object(schema)
  if (type === 'object' || properties !== undefined) {
    const names = Object.keys(properties ?? {})
    const isClosed = additionalProperties === false && Array.isArray(required)
    if (!isClosed || !names.every((name) => required.includes(name))) return false
  }
  return Object.values(schema).every(isStrictSchema)
}
