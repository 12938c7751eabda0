import type { Json } from '../domain/text/json.ts'
import type { LogEntry, Write } from '../domain/log.ts'
import type { Message } from '../domain/message.ts'
import type { Notice } from '../domain/passing-event.ts'
import type { CheckpointName } from '../domain/outcome.ts'
import type { Suspension } from '../domain/suspension.ts'
import type { EffectResult } from '../ports/effect-handler.ts'
import type { OutgoingItem } from '../domain/outgoing.ts'
import type { Announcement } from '../step/effect-logic.ts'
import type { AskedEffect } from '../step/step-system.ts'

/** An effect of the outbox, between being asked for and being performed. */
export interface PendingEffect extends AskedEffect {
  isLaunched: boolean
}

/** One thing that has happened and may be told. */
export type Happened =
  /** Announced behind the log entries before `nextSeq`. */
  | { readonly kind: 'announcement'; readonly announcement: Announcement; readonly nextSeq: number }
  | Omit<ToldMessage, 'turn'>
  /** A call has settled or is suspended. */
  | { readonly kind: 'call'; readonly callId: string }
  | { readonly kind: 'state'; readonly state: Json }
  /** The prompt is cut otherwise from now on. */
  | { readonly kind: 'compaction'; readonly value: Json }
  | { readonly kind: 'notice'; readonly event: Notice }
  /** The chart named a checkpoint, which publishes the results that wait. */
  | { readonly kind: 'checkpoint' }

/** What a drive has told its charts and the store cannot give again. */
export type TakenIn =
  | { readonly kind: 'result'; readonly key: string; readonly result: EffectResult<unknown> }
  /** What an effect under way wants written; `written` is to be called once a commit holds it. */
  | { readonly kind: 'writes'; readonly key: string; readonly writes: readonly Write[]; written(): void }
  | { readonly kind: 'event'; readonly event: { readonly type: string } }

/** A message with the turn it is told in; `place` is where the transcript shows it. */
export interface ToldMessage {
  readonly kind: 'message'
  readonly seq: number
  readonly message: Message
  readonly place: number
  readonly turn: number
}

/** Where a run stands between the start of a turn and its end. */
export interface TurnStanding {
  /** Of the turn under way, or the last one; 0 before the first. */
  readonly turn: number
  readonly isOpen: boolean
  /** Sequence number of the answer of the turn under way, once it has come. */
  readonly answerSeq: number | undefined
}

/** Where a run stands when a change begins, and what the commits before have left untold. */
export interface Untold {
  readonly at: TurnStanding
  /** Results that wait for a checkpoint. */
  readonly results: readonly ToldMessage[]
}

/** A run before its first turn. */
const nothingUntold = untoldAt({ turn: 0, isOpen: false, answerSeq: undefined })

/** A run that stands here and has emitted all that happened. */
export function untoldAt(at: TurnStanding): Untold {
  return { at, results: [] }
}

/**
 * All that is new since the last commit, in one value: the step, the log and the drive put in what they come to. It is
 * committed whole, or it is undone. What most commits have none of is made with the first of it.
 */
export class Change {
  untold: Untold = nothingUntold
  happened: Happened[] = []
  names: CheckpointName[] = []
  /** Effects that no commit holds, by key. */
  asked: Map<string, PendingEffect> | undefined
  /** Keys of effects the chart wants no longer. */
  withdrawn: string[] = []
  /** Keys of effects that were on record and that nobody launched: what is written holds none of them. */
  unlaunched: Set<string> | undefined
  /** Ids of calls that have moved. */
  moved: Set<string> | undefined
  /** New entries of the log. */
  append: LogEntry[] = []
  /** Ids of calls whose entries the store has, and has otherwise. */
  touched: Set<string> | undefined
  /** Kept decisions that came to answer a suspension. */
  answered: { readonly id: number; readonly suspensionId: string }[] = []
  /** Rows of the inbox whose messages a filter has refused. */
  refused: number[] = []
  /** What is to leave the process. */
  outgoing: OutgoingItem[] = []
  /** Suspensions of calls that are in another one now. */
  replaced: Suspension[] = []
  /** Inbox rows taken in. */
  consumed: number[] = []
  takenIn: TakenIn[] = []
  /** To be called once the commit has been accepted. */
  written: (() => void)[] = []

  /** Notes a name for the commit, which publishes the results that wait. */
  checkpoint(name: CheckpointName): void {
    this.names.push(name)
    this.happened.push({ kind: 'checkpoint' })
  }

  /** True for a commit that has a name. */
  get isCheckpoint(): boolean {
    return this.names.length > 0
  }

  /** True where the log has anything new. */
  get isLogNew(): boolean {
    return this.touched !== undefined || this.append.length + this.answered.length + this.refused.length > 0
  }

  /** The store has all of it, and the next change begins; suspensions that were replaced stay until events are kept. */
  committed(untold: Untold, isKept: boolean): void {
    const replaced = isKept ? [] : this.replaced
    Object.assign(this, new Change(), { untold, replaced })
  }

  /** The store has none of it. */
  undo(): void {
    Object.assign(this, new Change())
  }
}
