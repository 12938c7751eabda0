import { isRecord } from '../domain/json.ts'
import type { CacheStrategy, ThinkingLevel } from '../ports/model.ts'
import { UsageError } from './usage-error.ts'

const levels: readonly ThinkingLevel[] = ['off', 'minimal', 'low', 'medium', 'high']
const marks: readonly string[] = ['system', 'tools', 'messages']

/** A level of thinking; anything else is refused with a `UsageError`. */
export function checkedThinking(thinking: ThinkingLevel): ThinkingLevel {
  if (levels.includes(thinking)) return thinking
  throw refused('thinking', thinking, 'Expected off, minimal, low, medium or high.')
}

/** A cache strategy, copied; anything else is refused with a `UsageError`. */
export function checkedCache(cache: CacheStrategy): CacheStrategy {
  if (cache === 'auto' || cache === 'disabled') return cache
  const isMark = ([key, value]: [string, unknown]) => marks.includes(key) && typeof value === 'boolean'
  if (isRecord(cache) && Object.entries(cache).every(isMark)) return { ...cache }
  throw refused('cache', cache, 'Expected auto, disabled, or true and false for any of system, tools and messages.')
}

function refused(option: string, value: unknown, wish: string): UsageError {
  const shown = typeof value === 'string' ? JSON.stringify(value) : nameOf(value)
  return new UsageError('bad_option', `Option ${option} is ${shown}, which is refused. ${wish}`)
}

/** An object by its kinds of values: it may hold itself, or what no text can show. */
function nameOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (!isRecord(value)) return typeof value === 'function' ? 'a function' : String(value)
  const entries = Object.entries(value).map(([key, entry]) => `${key}: ${typeof entry}`)
  return `{ ${entries.join(', ')} }`
}
