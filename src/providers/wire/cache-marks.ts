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
