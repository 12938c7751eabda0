/** Where a run stands between the start of a turn and its end. */
export interface TurnStanding {
  /** Of the turn under way, or the last one; 0 before the first. */
  readonly turn: number
  readonly isOpen: boolean
  /** Sequence number of the answer of the turn under way, once it has come. */
  readonly answerSeq: number | undefined
}

/** A run before its first turn. */
export const noTurn: TurnStanding = { turn: 0, isOpen: false, answerSeq: undefined }
