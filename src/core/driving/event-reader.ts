import type { StoredEvent } from '../domain/event.ts'
import type { EventsEntry } from '../domain/kept-events.ts'
import { nextLoopTurn } from '../domain/text/platform.ts'
import { originOf } from '../domain/run-origin.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { Store } from '../ports/store.ts'
import type { AgentCore } from './agent-core.ts'
import { isResting, lookMs } from './follow-run.ts'
import { LiveReading } from './live-reading.ts'
import { type SharedCommit, sharedCommit } from './shared-commits.ts'
import { decodeCommit, type EventCursor, type EventsOfRun, readCommits } from './stored-events.ts'

/** A stored event, by its number or as it was told. */
export type EventPlace = number | { readonly runId: string; readonly seq?: number }

/** Stored events as they are read. Everything it is refused with, it throws when it is first asked. */
export interface StoredEventIterator extends AsyncIterableIterator<StoredEvent> {
  /**
   * Resolves once the first look is over, and rejects as `next` would: before it, nothing is known of the run. `isOver` is
   * true where the run is done and no event follows.
   */
  opened(): Promise<{ readonly isOver: boolean }>
  /** Resolves once all that was stored when it was first asked has been given; events that come later are waited for. */
  caughtUp(): Promise<void>
  /** No event is waited for any more; one asked for already is the last. */
  end(): void
}

/** Which events of a run are read. */
export interface ReadFrom {
  readonly after: EventPlace
  /** Resolves once the run is stored. */
  readonly stored: Promise<unknown>
}

/**
 * Reads the stored events of a run, page by page, until it rests. What this process drives wakes it; what others drive is
 * looked for several times a second, and with it the answer under way, for those who hear the run here. Whoever reads slowly holds what one commit tells, and nothing else waits.
 */
export class EventReader implements StoredEventIterator {
  readonly #core: AgentCore
  readonly #runId: string
  #of: EventsOfRun
  readonly #from: ReadFrom
  readonly #live: LiveReading
  readonly #ending = new AbortController()
  readonly #caughtUp = Promise.withResolvers<void>()
  #opening: Promise<Store> | undefined
  #cursor: EventCursor = { after: 0, from: 0 }
  /** Read and not yet told: commits, and the events of the one before them. */
  #commits: EventsEntry[] = []
  #events: StoredEvent[] = []
  /** Held for as long as its events are told, for others to find. */
  #shared: SharedCommit | undefined
  #isOver = false
  /** Readings follow one another, however many are asked for at once. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(core: AgentCore, runId: string, from: ReadFrom) {
    this.#core = core
    this.#runId = runId
    this.#of = { runId, subject: runId }
    this.#live = new LiveReading(core, runId)
    this.#from = from
  }

  async opened(): Promise<{ readonly isOver: boolean }> {
    return this.#inTurn(async () => {
      const store = await this.#open()
      if (this.#hasMore() || this.#isOver) return { isOver: this.#isOver }
      const { status } = await store.record(this.#runId)
      await this.#read(store)
      return { isOver: status === 'done' && !this.#hasMore() }
    })
  }

  caughtUp(): Promise<void> {
    return this.#caughtUp.promise
  }

  async next(): Promise<IteratorResult<StoredEvent>> {
    return this.#inTurn(async () => {
      const event = await this.#next().finally(() => this.#live.end())
      return event === undefined ? { done: true, value: undefined } : { done: false, value: event }
    })
  }

  end(): void {
    this.#ending.abort()
  }

  async return(): Promise<IteratorResult<StoredEvent>> {
    this.end()
    this.#commits = []
    this.#events = []
    this.#shared = undefined
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work, work)
    this.#last = result.catch(() => undefined)
    return result
  }

  async #next(): Promise<StoredEvent | undefined> {
    if (this.#isOver || this.#ending.signal.aborted) return undefined
    const store = await this.#open()
    for (;;) {
      const event = this.#events.shift()
      if (event !== undefined) return { ...event }
      if (this.#ending.signal.aborted) return undefined
      // Nothing else need wait where a store answers without leaving the turn: other work has its own between commits.
      if (this.#commits.length > 0) await nextLoopTurn().then(() => this.#decode(store))
      else if (await this.#lookOnce(store)) {
        this.#isOver = true
        return undefined
      }
    }
  }

  #hasMore(): boolean {
    return this.#events.length + this.#commits.length > 0
  }

  /** Reads a page; where there is none, waits for one. True where there will be none: the run rested before it was looked for. */
  async #lookOnce(store: Store): Promise<boolean> {
    const { watchers } = this.#core
    const told = new AbortController()
    const unhear = watchers.wakeOn(this.#runId, () => told.abort())
    try {
      const hasRested = await isResting(this.#core.store, this.#runId)
      await this.#read(store)
      if (this.#hasMore()) return false
      this.#caughtUp.resolve()
      if (hasRested) return true
      await this.#live.look()
      await this.#wait(told.signal)
      return false
    } finally {
      unhear()
    }
  }

  async #read(store: Store): Promise<void> {
    this.#commits.push(...(await readCommits(store, this.#runId, this.#cursor)))
  }

  async #decode(store: Store): Promise<void> {
    const commits = [...this.#commits]
    const [commit] = commits
    if (commit === undefined) return
    const name = JSON.stringify([this.#of, commit.seq, commit.last, commit.kept.at])
    this.#shared = sharedCommit(this.#core.store, name, () => decodeCommit(store, this.#of, commits))
    const events = await this.#shared.events
    if (this.#commits.shift() === undefined) return
    this.#events.push(...events.filter(({ seq }) => seq > this.#cursor.after))
    this.#cursor = { after: commit.last, from: commit.seq }
  }

  /** Until something is told here, or the next look is due. */
  async #wait(told: AbortSignal): Promise<void> {
    const { clock, openRuns } = this.#core
    openRuns.closing.throwIfAborted()
    const signals = [told, this.#ending.signal, openRuns.closing]
    await clock.sleepUntil(clock.now() + lookMs, AbortSignal.any(signals))
  }

  #open(): Promise<Store> {
    return (this.#opening ??= this.#checked())
  }

  async #checked(): Promise<Store> {
    const after = this.#numberOf(this.#from.after)
    await this.#from.stored
    const { store } = this.#core
    const record = await store.record(this.#runId)
    const input = await store.input(this.#runId)
    const [place] = after > 0 ? await store.events(this.#runId, after - 1, 1) : []
    if (after > 0 && place === undefined) throw badNumber(`Run "${this.#runId}" has no event ${after} yet.`)
    this.#of = { runId: this.#runId, subject: originOf(this.#runId, record.agent, input).subject }
    this.#cursor = { after, from: place === undefined ? 0 : place.seq - 1 }
    return store
  }

  #numberOf(after: EventPlace): number {
    if (typeof after === 'object' && after !== null && after.runId !== this.#runId) {
      throw badNumber(`The event is one of run ${JSON.stringify(after.runId)}, not of "${this.#runId}".`)
    }
    const seq: unknown = typeof after === 'object' && after !== null ? after.seq : after
    if (Number.isSafeInteger(seq) && (seq as number) >= 0) return seq as number
    throw badNumber(`${JSON.stringify(seq) ?? String(seq)} is no number of an event.`)
  }
}

function badNumber(problem: string): UsageError {
  const wish = 'Expected 0 for all events, or the seq of one that was read or told of this run.'
  return new UsageError('bad_event_number', `${problem} ${wish}`)
}
