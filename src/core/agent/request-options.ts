import { isRecord } from '../domain/text/json.ts'
import { badOption } from '../domain/text/option-shape.ts'
import type { CacheStrategy, ThinkingLevel } from '../ports/model.ts'

const levels: readonly ThinkingLevel[] = ['off', 'minimal', 'low', 'medium', 'high']
const marks: readonly string[] = ['system', 'tools', 'messages']

/** Returns a thinking level; throws a `UsageError` for any other value. */
export function checkedThinking(thinking: ThinkingLevel): ThinkingLevel {
  if (levels.includes(thinking)) return thinking
  throw badOption({ field: 'request.thinking' }, thinking, 'Expected off, minimal, low, medium or high.')
}

/** Returns a copy of a cache strategy; throws a `UsageError` for any other value. */
export function checkedCache(cache: CacheStrategy): CacheStrategy {
  if (cache === 'auto' || cache === 'disabled') return cache
  const isMark = ([key, value]: [string, unknown]) => marks.includes(key) && typeof value === 'boolean'
  if (isRecord(cache) && Object.entries(cache).every(isMark)) return { ...cache }
  throw badOption(
    { field: 'request.cache' },
    cache,
    'Expected auto, disabled, or true and false for any of system, tools and messages.',
  )
}
