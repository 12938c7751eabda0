/** What a memory refuses: a file that is no memory of ours or is damaged, and anything that fails while it is open. */
export type MemoryErrorCode = 'memory_foreign' | 'memory_failed'

/** An expected failure of a memory; the message says what happened and what to do. */
export class MemoryError extends Error {
  override readonly name = 'MemoryError'
  readonly code: MemoryErrorCode

  constructor(code: MemoryErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
