import type { Usage } from './usage.ts'

/**
 * Places of messages in a prompt: from the first one, and before the second one. A prompt has the messages of the transcript
 * that a model may read, from 0: no extension messages and no failed answers, and a placeholder for each open call.
 */
export type PlaceRange = readonly [from: number, to: number]

/** The places of a prompt that a move of its cut has changed. */
export interface DroppedPart {
  /** Messages that are no longer sent, and those that one line or a summary replaces. */
  readonly dropped: readonly PlaceRange[]
  /** Messages with less text than before. */
  readonly shortened: readonly PlaceRange[]
}

/** The result of a compaction; the token counts are those of the messages. */
export interface CompactedPrompt extends Partial<DroppedPart> {
  readonly tokensBefore: number
  readonly tokensAfter: number
  /**
   * The extent: 1 tool outputs, 2 old turns, 3 the middle is left out, 4 the remaining texts are cut; `strategy` if a
   * strategy of the application made it.
   */
  readonly tier: 1 | 2 | 3 | 4 | 'strategy' | 'summary'
  /** For tier `summary`: the model as `provider/model`, and its usage and cost. */
  readonly summary?: { readonly model: string; readonly usage: Usage; readonly cost?: number }
  /** The reason for which the prompt is still too large. */
  readonly problem?: string
}
