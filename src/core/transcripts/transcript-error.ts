/**
 * Why a transcript was not taken: text that is no JSON, more bytes than are taken, a shape nobody knows or that is not
 * clear, a message that is none of its format.
 */
export type TranscriptErrorCode = 'not_json' | 'too_large' | 'unknown_format' | 'bad_transcript'

/** A transcript from elsewhere was refused, and nothing of it taken; the message says what was expected and what to do. */
export class TranscriptError extends Error {
  override readonly name = 'TranscriptError'
  readonly code: TranscriptErrorCode
  /** Which message is meant, counted from 0; absent where it is the whole. */
  readonly at?: number

  constructor(code: TranscriptErrorCode, message: string, options: { cause?: unknown; at?: number } = {}) {
    const { cause, at } = options
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    if (at !== undefined) this.at = at
  }
}
