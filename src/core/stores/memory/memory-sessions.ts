import { checkedSession, type SessionState, type StoredSession } from '../../domain/session-state.ts'
import type { FoundLease } from '../../domain/store-error.ts'
import type { DeletedSession, DeleteSessionOptions, SessionChange } from '../../ports/session-rows.ts'
import type { ListedSession, SessionFilter } from '../../ports/store-lists.ts'
import { keptSession } from '../rows/decode-session.ts'
import { checkFree, foundOf } from '../rows/lease-rules.ts'
import { cursorOf, isBehind, type ListPlace, placeBefore } from '../rows/list-cursor.ts'
import { sessionConflict, sessionIsRead, sessionUnknown } from '../rows/store-errors.ts'
import { decodeRecord } from '../rows/decode-rows.ts'
import { type MemoryRun, tailOf } from './commit.ts'
import { firstOf } from './memory-log.ts'
import { forgetRun, readersOf } from './readers.ts'

/** A session in memory; its state is frozen. */
interface MemorySession {
  readonly number: number
  readonly state: SessionState
  readonly version: number
  readonly lastActivity: number | undefined
}

/** The sessions of a store in memory. Each function throws before it changes anything. */
export class MemorySessions {
  readonly #runs: Map<string, MemoryRun>
  readonly #sessions = new Map<string, MemorySession>()
  #lastNumber = 0
  #lastVersion = 0

  constructor(runs: Map<string, MemoryRun>) {
    this.#runs = runs
  }

  /** Stores a state, as of an activity if there is one, with that of the session it is rotated from; gives its version. */
  change(given: SessionState, expected: number, activeAt?: number, rotatedFrom?: SessionChange): number {
    const state = this.#changeable(given, expected)
    const other = rotatedFrom && this.#changeable(rotatedFrom.state, rotatedFrom.expected)
    const version = this.#keep(state, activeAt)
    if (other !== undefined) this.#keep(other, undefined)
    return version
  }

  /** A state as it may be stored in the place of the one that was read. */
  #changeable(given: SessionState, expected: number): SessionState {
    const state = checkedSession(given)
    const found = this.#sessions.get(state.id)?.version ?? 0
    if (found !== expected) throw sessionConflict(state.id, found, expected)
    return state
  }

  #keep(state: SessionState, activeAt: number | undefined): number {
    const known = this.#sessions.get(state.id)
    const number = known?.number ?? ++this.#lastNumber
    const lastActivity = later(known?.lastActivity, activeAt)
    const version = ++this.#lastVersion
    this.#sessions.set(state.id, { number, state, version, lastActivity })
    return version
  }

  /** Notes an activity of a run's session. */
  touch({ row: { session: id } }: MemoryRun, at: number): void {
    const session = id === null ? undefined : this.#sessions.get(id)
    if (session === undefined) return
    this.#sessions.set(session.state.id, { ...session, lastActivity: later(session.lastActivity, at) })
  }

  get(id: string): StoredSession | undefined {
    const session = this.#sessions.get(id)
    return session && this.#stored(session)
  }

  list({ agent, subject, before, limit = 100 }: SessionFilter): readonly ListedSession[] {
    const place = placeBefore(before)
    return [...this.#sessions.values()]
      .filter(({ state }) => agent === undefined || state.agent === agent)
      .filter(({ state }) => subject === undefined || state.subject === subject)
      .filter((session) => isBehind(placeOf(session), place))
      .sort((left, right) => (isBehind(placeOf(left), placeOf(right)) ? 1 : -1))
      .slice(0, limit)
      .map((session) => ({ ...this.#stored(session), cursor: cursorOf(placeOf(session)) }))
  }

  /**
   * A run is gone: where it was the last one of its session, the newest that remains of its conversation takes its place. What
   * was said before a reset stays behind it.
   */
  forgetRun({ row: { id, session: ofSession, continuedRun }, log }: MemoryRun): void {
    const session = ofSession === null ? undefined : this.#sessions.get(ofSession)
    if (session?.state.lastRun !== id) return
    const { lastRun: _, ...state } = session.state
    const begun = firstOf(log)
    const isOfSame = (other: MemoryRun) => firstOf(other.log) === begun
    const others = continuedRun === null ? [] : this.#runsOf(session.state.id)
    const left = others.toSorted((one, other) => other.row.createdAt - one.row.createdAt).find(isOfSame)
    const changed = Object.freeze({ ...state, ...(left === undefined ? {} : { lastRun: left.row.id }) })
    this.#sessions.set(state.id, { ...session, state: changed, version: ++this.#lastVersion })
  }

  delete(
    id: string,
    { now, found }: { readonly now: number; readonly found: readonly FoundLease[] },
    { whereRead = 'refuse', emptySince }: DeleteSessionOptions,
  ): DeletedSession {
    const session = this.#sessions.get(id)
    if (session === undefined) throw sessionUnknown(id)
    const own = this.#runsOf(id)
    if (emptySince !== undefined && (own.length > 0 || placeOf(session).time >= emptySince)) return keptSession
    for (const { row, lease } of own) checkFree(row.id, lease, now, foundOf(row.id, found))
    const others = [...this.#runs.values()].filter(({ row }) => row.session !== id)
    const readers = [...new Set(own.flatMap((run) => readersOf(run, others)))].slice(0, 100)
    if (readers.length > 0 && whereRead === 'refuse') throw sessionIsRead(id, readers)
    this.#sessions.delete(id)
    for (const run of own) {
      this.#runs.delete(run.row.id)
      forgetRun(run, this.#runs.values())
    }
    return { runs: own.map(({ row }) => row.id), readers }
  }

  clear(): void {
    this.#sessions.clear()
  }

  /** The runs of a session, the newest first. */
  #runsOf(id: string): readonly MemoryRun[] {
    const own = [...this.#runs.values()].filter(({ row }) => row.session === id)
    return own.sort((left, right) => right.number - left.number)
  }

  #stored({ state, version, lastActivity }: MemorySession): StoredSession {
    const last = state.lastRun === undefined ? undefined : this.#runs.get(state.lastRun)
    const record = last && decodeRecord(last.row, tailOf(last))
    return {
      ...state,
      version,
      ...(lastActivity === undefined ? {} : { lastActivity }),
      ...(record === undefined || record.status === 'done'
        ? {}
        : { active: { runId: record.id, status: record.status } }),
    }
  }
}

function placeOf({ lastActivity, state, number }: MemorySession): ListPlace {
  return { time: lastActivity ?? state.createdAt, number }
}

function later(known: number | undefined, at: number | undefined): number | undefined {
  return known === undefined || at === undefined ? (known ?? at) : Math.max(known, at)
}
