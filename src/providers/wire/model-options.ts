import { ModelError } from '../../domain/model-error.ts'

/** How much a model thinks before it answers; each wire maps it to its own words. */
export type ThinkingLevel = 'off' | 'minimal' | 'low' | 'medium' | 'high'

/** Which parts of the prompt are marked for the provider's cache. */
export interface CacheMarks {
  readonly system: boolean
  readonly tools: boolean
  /** The second-to-last user message, so that the last one may still change. */
  readonly messages: boolean
}

/** The marks an option stands for: `auto` is all of them, an object only those it names. */
export function cacheMarks(cache: 'auto' | 'disabled' | Partial<CacheMarks>): CacheMarks {
  if (cache === 'auto') return { system: true, tools: true, messages: true }
  const none = { system: false, tools: false, messages: false }
  return cache === 'disabled' ? none : { ...none, ...cache }
}

/** The key given as option, else the one in the environment variable, read anew for each call. */
export function apiKeyFor(provider: string, given: string | undefined, variable: string): string {
  const key = given ?? process.env[variable]
  if (key !== undefined && key !== '') return key
  throw new ModelError('auth', `${provider} has no API key. Set ${variable} or pass the option apiKey.`)
}
