import { ErrorWithCode } from '../domain/text/error-with-code.ts'

/**
 * The reason of a rejected transcript: the text is not JSON, it is too large, its format is unknown or ambiguous, or a
 * message does not fit its format.
 */
export type TranscriptErrorCode = 'not_json' | 'too_large' | 'unknown_format' | 'bad_transcript'

/** Thrown for a rejected transcript, of which nothing is kept; the message says what was expected and what to do. */
export class TranscriptError extends ErrorWithCode<TranscriptErrorCode> {
  override readonly name = 'TranscriptError'
  /** The index of the invalid message, from 0; absent if the whole transcript is invalid. */
  readonly at?: number

  constructor(code: TranscriptErrorCode, message: string, options: { cause?: unknown; at?: number } = {}) {
    const { cause, at } = options
    super(code, message, cause === undefined ? {} : { cause })
    if (at !== undefined) this.at = at
  }
}
