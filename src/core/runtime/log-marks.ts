import type { CallRecord } from '../domain/call.ts'
import type { MarkedEvent } from '../domain/marked-event.ts'
import type { Message } from '../domain/message.ts'
import { freezeDeep } from '../domain/text/json.ts'
import type { Announcement } from '../step/effect-logic.ts'
import type { Change, OpenMark, TurnStanding } from './change.ts'

/** The state of a run before its first turn. */
export const beforeTurns: TurnStanding = { turn: 0, isOpen: false, answerSeq: undefined }

/** Appends the marks of a log to the change, and tracks the position of the run in its turn. */
export class LogMarks {
  standing = beforeTurns
  /** The part of the prompt before that the prompt of the last answer began with. */
  prefix: { readonly seq: number; readonly share: number } | undefined
  readonly #change: Change
  readonly #takeSeq: () => number

  constructor(change: Change, takeSeq: () => number) {
    this.#change = change
    this.#takeSeq = takeSeq
  }

  /** Returns the turn of a message that is appended now. What enters between turns belongs to the next one. */
  turnOf({ role }: Message): number {
    const { turn, isOpen } = this.standing
    return !isOpen && (role === 'user' || role === 'extension') ? turn + 1 : turn
  }

  /** Records the current turn's answer. */
  noteAnswer(seq: number): void {
    const { isOpen, answerSeq } = this.standing
    if (isOpen && answerSeq === undefined) this.standing = { ...this.standing, answerSeq: seq }
  }

  /** Notes a call that has settled or is suspended. Its mark comes before the next entry that has an event. */
  noteMoved({ callId, seq }: CallRecord): void {
    const calls = (this.#change.calls ??= new Set<string>())
    if (calls.has(callId)) return
    calls.add(callId)
    this.#change.unmarked.push({ callId, seq })
  }

  /** Marks the calls that have moved, in the order of their slots. A call has one mark in a commit. */
  markCalls(now: number): void {
    const { unmarked } = this.#change
    if (unmarked.length === 0) return
    this.#change.unmarked = []
    for (const { callId } of unmarked.sort((left, right) => left.seq - right.seq)) this.#open({ callId }, now)
  }

  /** Appends the charts' announcements. The commit fills in the events. */
  announce(announcement: Announcement, now: number): void {
    this.markCalls(now)
    const { turn, answerSeq } = this.standing
    const { type, turn: started = turn } = announcement
    this.#open({ announcement, answerSeq }, now)
    if (endsTurn.has(type)) this.standing = { turn, isOpen: false, answerSeq: undefined }
    if (type === 'turn.started') this.standing = { turn: started, isOpen: true, answerSeq: undefined }
  }

  /** Appends an event that is complete. */
  add(event: MarkedEvent, now: number): void {
    this.markCalls(now)
    this.#change.append.push(freezeDeep({ kind: 'mark', seq: this.#takeSeq(), at: now, event }))
  }

  #open(mark: OpenMark, now: number): void {
    const seq = this.#takeSeq()
    ;(this.#change.open ??= new Map<number, OpenMark>()).set(seq, mark)
    this.#change.append.push({ kind: 'mark', seq, at: now })
  }
}

const endsTurn: ReadonlySet<string> = new Set(['turn.ended', 'run.waiting', 'run.resumed', 'run.ended'])
