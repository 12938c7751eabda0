/**
 * The reasons of a memory: `memory_foreign` for a place that holds something else or is damaged, `memory_failed` for a
 * failure while it is open, `embed_failed` for a model that gives no vectors.
 */
export type MemoryErrorCode = 'memory_foreign' | 'memory_failed' | 'embed_failed'

/** An expected failure of a memory; the message says what happened and what to do. */
export class MemoryError extends Error {
  override readonly name = 'MemoryError'
  readonly code: MemoryErrorCode

  constructor(code: MemoryErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
