import type { LogEntry, Write } from '../domain/log.ts'
import type { CheckpointName } from '../domain/outcome.ts'
import type { EffectResult } from '../ports/effect-handler.ts'
import type { OutgoingItem } from '../domain/outgoing.ts'
import type { Announcement } from '../step/effect-logic.ts'
import type { AskedEffect } from '../step/step-system.ts'

/** An effect of the outbox, from its request to its performance. */
export interface PendingEffect extends AskedEffect {
  isLaunched: boolean
}

/** The content of a mark before the commit is built: an announcement of the charts, or a call that has moved. */
export type OpenMark =
  | {
      readonly announcement: Announcement
      /** Sequence number of the answer of the turn in which it was announced. */
      readonly answerSeq: number | undefined
    }
  | { readonly callId: string }

/** The inputs of the charts that the store cannot return again. */
export type TakenIn =
  | { readonly kind: 'result'; readonly key: string; readonly result: EffectResult<unknown> }
  /** The writes that running effects request; `written` must be called once a commit holds them. */
  | { readonly kind: 'writes'; readonly key: string; readonly writes: readonly Write[]; written(): void }
  | { readonly kind: 'event'; readonly event: { readonly type: string } }

/** The position of a run between the start of a turn and its end. */
export interface TurnStanding {
  /** The current or the last turn; 0 before the first. */
  readonly turn: number
  readonly isOpen: boolean
  /** The number of the current turn's answer, once it has arrived. */
  readonly answerSeq: number | undefined
}

/**
 * Everything new since the last commit, in one value: the step, the log and the drive add to it. It is committed or
 * undone as a whole. Rarely used parts are created on first use.
 */
export class Change {
  names: CheckpointName[] = []
  /** Effects that no commit holds, by key. */
  asked: Map<string, PendingEffect> | undefined
  /** Keys of effects the chart wants no longer. */
  withdrawn: string[] = []
  /** Keys of recorded effects that were never started; the next write removes them. */
  unlaunched: Set<string> | undefined
  /** Ids of calls that have moved. */
  moved: Set<string> | undefined
  /** New entries of the log. A mark whose content is still open is empty. */
  append: LogEntry[] = []
  /** Marks that the commit fills in, by their sequence numbers. */
  open: Map<number, OpenMark> | undefined
  /** Ids of the calls that have settled or are suspended. */
  calls: Set<string> | undefined
  /** Those that have no mark yet. */
  unmarked: { readonly callId: string; readonly seq: number }[] = []
  /** Ids of calls whose stored entries are outdated. */
  touched: Set<string> | undefined
  /** Kept decisions that have answered a suspension. */
  answered: { readonly id: number; readonly suspensionId: string }[] = []
  /** Rows of the inbox whose messages a filter has refused. */
  refused: number[] = []
  /** The items to send. */
  outgoing: OutgoingItem[] = []
  /** Processed inbox rows. */
  consumed: number[] = []
  takenIn: TakenIn[] = []
  /** Called once the commit has been accepted. */
  written: (() => void)[] = []

  /** True for a commit with a name. */
  get isCheckpoint(): boolean {
    return this.names.length > 0
  }

  /** True if the log has anything new except marks, which are written with the next other write. */
  get isLogNew(): boolean {
    if (this.touched !== undefined || this.answered.length + this.refused.length > 0) return true
    return this.append.some(({ kind }) => kind !== 'mark')
  }

  /** Begins the next change, after this one was stored or discarded. */
  clear(): void {
    Object.assign(this, new Change())
  }
}
