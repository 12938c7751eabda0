import type { StoredEvent } from '../domain/event.ts'
import { originOf } from '../domain/run-origin.ts'
import { UsageError } from '../domain/usage-error.ts'
import type { AgentCore } from './agent-core.ts'
import { isResting, lookMs } from './follow-run.ts'
import type { EventPlace, StoredEventIterator } from './run.ts'
import {
  type EventCursor,
  type EventsOfRun,
  type EventStore,
  keepsEvents,
  readEvents,
  storesEvents,
} from './stored-events.ts'

/** Which events of a run are read. */
export interface ReadFrom {
  readonly after: EventPlace
  /** Resolves once the run is stored. */
  readonly stored: Promise<unknown>
}

/**
 * Reads the stored events of a run, page by page, until it rests. What this process drives wakes it; what others drive is
 * looked for several times a second. Whoever reads slowly holds one page of them, and nothing else waits.
 */
export class EventReader implements StoredEventIterator {
  readonly #core: AgentCore
  readonly #runId: string
  #of: EventsOfRun
  readonly #from: ReadFrom
  readonly #ending = new AbortController()
  #opening: Promise<EventStore> | undefined
  #cursor: EventCursor = { after: 0, from: 0 }
  #page: StoredEvent[] = []
  #isOver = false
  /** Readings follow one another, however many are asked for at once. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(core: AgentCore, runId: string, from: ReadFrom) {
    this.#core = core
    this.#runId = runId
    this.#of = { runId, subject: runId }
    this.#from = from
  }

  async opened(): Promise<{ readonly isOver: boolean }> {
    return this.#inTurn(async () => {
      const store = await this.#open()
      if (this.#page.length > 0 || this.#isOver) return { isOver: this.#isOver }
      const { status } = await store.record(this.#runId)
      await this.#read(store)
      return { isOver: status === 'done' && this.#page.length === 0 }
    })
  }

  async next(): Promise<IteratorResult<StoredEvent>> {
    return this.#inTurn(async () => {
      const event = await this.#next()
      return event === undefined ? { done: true, value: undefined } : { done: false, value: event }
    })
  }

  end(): void {
    this.#ending.abort()
  }

  async return(): Promise<IteratorResult<StoredEvent>> {
    this.end()
    this.#page = []
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
      const event = this.#page.shift()
      if (event !== undefined) return event
      if (this.#ending.signal.aborted) return undefined
      this.#isOver = await this.#lookOnce(store)
      if (this.#isOver) return undefined
    }
  }

  /** Reads a page; where there is none, waits for one. True where there will be none: the run rested before it was looked for. */
  async #lookOnce(store: EventStore): Promise<boolean> {
    const { watchers } = this.#core
    const told = new AbortController()
    const unhear = watchers.listen(({ seq }) => seq !== undefined && told.abort(), this.#runId)
    try {
      const hasRested = await isResting(this.#core.store, this.#runId)
      await this.#read(store)
      if (this.#page.length > 0) return false
      if (!hasRested) await this.#wait(told.signal)
      return hasRested
    } finally {
      unhear()
    }
  }

  async #read(store: EventStore): Promise<void> {
    const { events, ...cursor } = await readEvents(store, this.#of, this.#cursor)
    this.#cursor = cursor
    this.#page.push(...events)
  }

  /** Until something is told here, or the next look is due. */
  async #wait(told: AbortSignal): Promise<void> {
    const { clock, openRuns } = this.#core
    openRuns.closing.throwIfAborted()
    const signals = [told, this.#ending.signal, openRuns.closing]
    await clock.sleepUntil(clock.now() + lookMs, AbortSignal.any(signals))
  }

  #open(): Promise<EventStore> {
    return (this.#opening ??= this.#checked())
  }

  async #checked(): Promise<EventStore> {
    const after = this.#numberOf(this.#from.after)
    await this.#from.stored
    const { store } = this.#core
    const { input, record } = await store.read(this.#runId)
    if (!keepsEvents(store) || !storesEvents(input)) throw notStored(this.#runId)
    if (after > 0 && (await store.events(this.#runId, after - 1, 1)).length === 0) {
      throw badNumber(`Run "${this.#runId}" has no event ${after} yet.`)
    }
    this.#of = { runId: this.#runId, subject: originOf(this.#runId, record.agent, input).subject }
    this.#cursor = { after, from: 0 }
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

function notStored(runId: string): UsageError {
  const wish =
    "Only runs started by an agent with events: 'stored' have any; messages() and history() read what else is stored."
  return new UsageError('events_not_stored', `No events of run "${runId}" are stored. ${wish}`)
}
