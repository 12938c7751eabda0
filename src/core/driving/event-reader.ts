import type { StoredEvent } from '../domain/event.ts'
import { originOf } from '../domain/run-origin.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { AgentCore } from './agent-core.ts'
import { isResting, lookMs } from './follow-run.ts'
import { LiveReading } from './live-reading.ts'
import { StoredEvents } from './stored-events.ts'

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
 * looked for several times a second, and with it the answer under way, for those who hear the run here. A slow reader holds one page.
 */
export class EventReader implements StoredEventIterator {
  readonly #core: AgentCore
  readonly #runId: string
  readonly #from: ReadFrom
  readonly #live: LiveReading
  readonly #ending = new AbortController()
  readonly #caughtUp = Promise.withResolvers<void>()
  #opening: Promise<StoredEvents> | undefined
  #after = 0
  /** Read and not yet given. */
  #events: StoredEvent[] = []
  #isOver = false
  /** Readings follow one another, however many are asked for at once. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(core: AgentCore, runId: string, from: ReadFrom) {
    this.#core = core
    this.#runId = runId
    this.#live = new LiveReading(core, runId)
    this.#from = from
  }

  async opened(): Promise<{ readonly isOver: boolean }> {
    return this.#inTurn(async () => {
      const stored = await this.#open()
      if (this.#hasMore() || this.#isOver) return { isOver: this.#isOver }
      const { status } = await this.#core.store.record(this.#runId)
      await this.#read(stored)
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
    this.#events = []
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
    const stored = await this.#open()
    for (;;) {
      const event = this.#events.shift()
      if (event !== undefined) return { ...event }
      if (this.#ending.signal.aborted) return undefined
      if (await this.#lookOnce(stored)) {
        this.#isOver = true
        return undefined
      }
    }
  }

  #hasMore(): boolean {
    return this.#events.length > 0
  }

  /** Reads a page; where there is none, waits for one. True where there will be none: the run rested before it was looked for. */
  async #lookOnce(stored: StoredEvents): Promise<boolean> {
    const { watchers } = this.#core
    const told = new AbortController()
    const unhear = watchers.wakeOn(this.#runId, () => told.abort())
    try {
      const hasRested = await isResting(this.#core.store, this.#runId)
      await this.#read(stored)
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

  async #read(stored: StoredEvents): Promise<void> {
    if (this.#events.length === 0) this.#events.push(...(await stored.after(this.#after)))
  }

  /** Until something is told here, or the next look is due. */
  async #wait(told: AbortSignal): Promise<void> {
    const { clock, openRuns } = this.#core
    openRuns.closing.throwIfAborted()
    const signals = [told, this.#ending.signal, openRuns.closing]
    await clock.sleepUntil(clock.now() + lookMs, AbortSignal.any(signals))
  }

  #open(): Promise<StoredEvents> {
    return (this.#opening ??= this.#checked())
  }

  async #checked(): Promise<StoredEvents> {
    const after = this.#numberOf(this.#from.after)
    await this.#from.stored
    const { store } = this.#core
    const record = await store.record(this.#runId)
    const input = await store.input(this.#runId)
    const { subject } = originOf(this.#runId, record.agent, input)
    const stored = new StoredEvents(store, { runId: this.#runId, subject })
    if (!(await stored.has(after))) throw badNumber(`Run "${this.#runId}" has no event ${after} yet.`)
    this.#after = after
    return stored
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
