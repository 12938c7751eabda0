import { ErrorWithCode } from '../../core/domain/text/error-with-code.ts'

/**
 * The code of a memory's error: `memory_foreign` if the place has other content or is damaged, `memory_failed` for a
 * failure while the memory is open, `embed_failed` if a model returns no vectors.
 */
export type MemoryErrorCode = 'memory_foreign' | 'memory_failed' | 'embed_failed'

/** An expected failure of a memory; the message says what happened and what to do. */
export class MemoryError extends ErrorWithCode<MemoryErrorCode> {
  override readonly name = 'MemoryError'
}
