import type { AgentEvent, StoredEvent } from '../domain/event.ts'
import type { LiveAnswer } from '../domain/live-answer.ts'
import { originOf } from '../domain/run-origin.ts'
import { nextLoopTurn } from '../domain/text/platform.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { FollowedEvents, RunFollowOptions, RunInStore } from './followed-events.ts'
import { isDrivenElsewhere, isResting } from './is-resting.ts'
import { readLiveAnswer } from './store-live-answer.ts'
import { EventQueue } from './event-queue.ts'
import { isOfAnswer, newsOf } from './news-of-answer.ts'
import type { Watcher } from './run-watchers.ts'
import { StoredEvents } from './stored-events.ts'

/** The milliseconds between two looks at a run that another process drives. */
const lookMs = 250

/** The number of looks for each attempt to drive the run, which makes the store check the lease. */
const looksPerTry = 4

/** A run that this process can follow. */
export interface FollowedRun extends Required<RunInStore> {
  /** Resolves once the run is stored. Default: it is. */
  readonly stored?: Promise<unknown>
  /** End the reading with their reasons. */
  readonly closing?: readonly AbortSignal[]
  /** Emits what this process does with the run. Default: another process drives it, if any. */
  readonly live?: {
    join(watcher: Watcher): void
    leave(watcher: Watcher): void
    isDriving(): boolean
  }
  /** Drives the run to its rest. */
  readonly drive?: () => Promise<unknown>
}

/** A filter of a run's events. */
export interface WantedEvents extends RunFollowOptions {
  /** True begins with the first event that this process emits, and reads nothing that was stored before. */
  readonly fromNow?: boolean
}

/**
 * Joins stored events with the events of this process. A numbered live event is passed on if nothing is stored between
 * it and the last event; otherwise the store is read. An unnumbered one follows the event after which it was emitted.
 */
export class RunEvents implements FollowedEvents, Watcher {
  readonly #run: FollowedRun
  readonly #wanted: WantedEvents
  readonly #live: EventQueue
  readonly #ending = new AbortController()
  #opening: Promise<void> | undefined
  #stored: StoredEvents | undefined
  #subject = ''
  /** The number of the last yielded event; undefined before the first if the reading begins now. */
  #given: number | undefined
  #page: StoredEvent[] = []
  /** False while stored events after the last yielded one are neither read nor queued. */
  #isCaughtUp: boolean
  /** The last turn whose answer was yielded. */
  #answered = 0
  /** The yielded part of an answer of another process. */
  #elsewhere: LiveAnswer | undefined
  #looks = 0
  #isDue = true
  #driving: Promise<void> | undefined
  #isDriven = false
  #failure: { readonly error: unknown } | undefined
  #isOver = false
  #wake: (() => void) | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(run: FollowedRun, wanted: WantedEvents) {
    this.#run = run
    this.#wanted = wanted
    this.#isCaughtUp = wanted.fromNow === true
    this.#live = new EventQueue(
      (behind) => {
        this.#given ??= behind
        this.#isCaughtUp = false
      },
      () => this.#wake?.(),
    )
    const { signal } = wanted
    if (signal?.aborted === true) this.#end()
    else signal?.addEventListener('abort', () => this.#end(), { once: true, signal: this.#ending.signal })
    if (!this.#ending.signal.aborted) run.live?.join(this)
  }

  push(event: AgentEvent, behind?: number): void {
    if (event.seq !== undefined || this.#wanted.deltas !== false) this.#live.push(event, behind)
  }

  /** Accepts no more events until `join`. Accepted events are still delivered. */
  leave(): void {
    this.#run.live?.leave(this)
  }

  /** Drives the run by a promise, and ends with it. */
  driveBy(driving: Promise<unknown>): this {
    this.#run.live?.join(this)
    this.#begin(driving, false)
    return this
  }

  async opened(): Promise<{ readonly isOver: boolean }> {
    return this.#inTurn(async () => {
      await this.#open()
      if (this.#page.length > 0) return { isOver: false }
      const { status } = await this.#run.store.record(this.#run.runId)
      return { isOver: !(await this.#read()) && status === 'done' }
    }).catch((error: unknown) => this.#failed(error))
  }

  next(): Promise<IteratorResult<AgentEvent>> {
    return this.#inTurn(async () => {
      const value = await this.#next().catch((error: unknown) => this.#failed(error))
      if (value !== undefined) return { done: false, value }
      this.#end()
      return { done: true, value }
    })
  }

  async return(): Promise<IteratorResult<AgentEvent>> {
    this.#end()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #end(): void {
    this.#isOver = true
    this.#ending.abort()
    this.leave()
    this.#live.clear()
    this.#page = []
    this.#wake?.()
  }

  #failed(error: unknown): never {
    this.#failure ??= { error }
    this.#end()
    throw error
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work, work)
    this.#last = result
    return result
  }

  async #next(): Promise<AgentEvent | undefined> {
    for (;;) {
      if (this.#isOver && this.#failure !== undefined) throw this.#failure.error
      if (this.#isOver) return undefined
      if (this.#wanted.fromNow !== true) await this.#open()
      const event = this.#nextLive() ?? this.#nextStored()
      if (event !== undefined) return this.#give(event)
      if (this.#isOver) return undefined
      if (!this.#isCaughtUp || this.#live.size > 0) await this.#read()
      else if (this.#failure !== undefined) throw this.#failure.error
      else if (this.#isDriven || (await this.#isAtEnd())) return undefined
    }
  }

  /**
   * Returns the next live event if no other event precedes it. Drops events that were yielded already, with all that
   * were emitted before them.
   */
  #nextLive(): AgentEvent | undefined {
    for (let numbered = this.#live.numbered; ; numbered = this.#live.numbered) {
      if (numbered !== undefined) this.#given ??= numbered.behind
      const given = this.#given ?? 0
      const isNext = numbered === undefined ? this.#isCaughtUp && this.#page.length === 0 : numbered.behind <= given
      if (!isNext) return undefined
      const first = this.#live.shift()?.event
      if (first === undefined) return undefined
      const isKnown = numbered !== undefined && numbered.seq <= given
      if (!isKnown && !(isOfAnswer(first) && first.turn <= this.#answered)) return first
    }
  }

  #nextStored(): AgentEvent | undefined {
    for (let event = this.#page.shift(); event !== undefined; event = this.#page.shift())
      if (event.seq > (this.#given ?? 0)) return { ...event }
    return undefined
  }

  #give(event: AgentEvent): AgentEvent {
    if (event.seq === undefined) return event
    this.#given = event.seq
    this.#isDue ||= event.type === 'run.waiting' || event.type === 'run.ended'
    // A turn whose answer was refused begins again under its number.
    if (event.type === 'turn.started') this.#answered = event.turn - 1
    else if (event.type === 'turn.ended' || (event.type === 'message.ended' && event.message.role === 'assistant'))
      this.#answered = event.turn
    return event
  }

  async #read(): Promise<boolean> {
    this.#stored ??= await this.#openStored()
    const events = await this.#stored.after(this.#given ?? 0)
    if (this.#isOver) return false
    // Events that were just stored are emitted in this turn of the loop.
    if (events.length > 0) await nextLoopTurn()
    this.#page.push(...events)
    this.#isCaughtUp = events.length === 0
    const numbered = this.#live.numbered
    if (this.#isCaughtUp && numbered !== undefined) this.#given = Math.max(this.#given ?? 0, numbered.behind)
    return events.length > 0
  }

  /** Waits for more; returns true if nothing follows. */
  async #isAtEnd(): Promise<boolean> {
    const { store, runId, live, drive } = this.#run
    const isHere = this.#driving !== undefined || live?.isDriving() === true
    if (this.#driving !== undefined || (isHere && !this.#isDue)) return this.#wait()
    if (drive !== undefined && this.#wanted.drive === true && this.#looks++ % looksPerTry === 0) {
      this.#begin(drive(), true)
      return false
    }
    this.#isDue = false
    const hasRested = await isResting(store, runId)
    if (this.#wanted.fromNow !== true && (await this.#read())) return false
    if (this.#isOver || hasRested || this.#wanted.wait === false) return true
    if (this.#wanted.deltas !== false && !isHere) await this.#readElsewhere()
    return this.#live.size === 0 && this.#wait()
  }

  /** Waits until this process emits an event, or the next look is due. */
  async #wait(): Promise<false> {
    const { clock, closing = [] } = this.#run
    if (this.#driving !== undefined) {
      await new Promise<void>((resolve) => (this.#wake = resolve))
      return false
    }
    for (const signal of closing) signal.throwIfAborted()
    const waking = new AbortController()
    this.#wake = () => waking.abort()
    const signals = AbortSignal.any([waking.signal, this.#ending.signal, ...closing])
    await clock.sleepUntil(clock.now() + lookMs, signals)
    this.#isDue ||= !waking.signal.aborted
    return false
  }

  #begin(driving: Promise<unknown>, isShared: boolean): void {
    this.#driving = driving
      .then(
        () => {
          this.#isDriven = true
          if (isShared && this.#wanted.fromNow !== true) this.#isCaughtUp = false
        },
        (error: unknown) => {
          if (!isShared || !isDrivenElsewhere(error)) this.#failure = { error }
        },
      )
      .then(() => {
        this.#driving = undefined
        this.#wake?.()
      })
  }

  async #readElsewhere(): Promise<void> {
    const { store, runId, clock, live } = this.#run
    const answer = await readLiveAnswer(store, runId)
    if (live?.isDriving() === true) return
    const head = { runId, subject: this.#subject, at: clock.now() }
    for (const body of newsOf(this.#elsewhere, answer)) this.#live.push({ ...body, ...head, turn: answer?.turn ?? 0 })
    this.#elsewhere = answer
  }

  #open(): Promise<void> {
    return (this.#opening ??= this.#opened())
  }

  async #opened(): Promise<void> {
    const { after = 0 } = this.#wanted
    if (!Number.isSafeInteger(after) || after < 0)
      throw badNumber(`${JSON.stringify(after) ?? String(after)} is not the number of an event.`)
    await this.#run.stored
    this.#stored = await this.#openStored()
    if (!(await this.#stored.has(after))) throw badNumber(`Run "${this.#run.runId}" has no event ${after} yet.`)
    this.#given = after
  }

  async #openStored(): Promise<StoredEvents> {
    const { store, runId } = this.#run
    const { agent } = await store.record(runId)
    this.#subject = originOf(runId, agent, await store.input(runId)).subject
    return new StoredEvents(store, { runId, subject: this.#subject })
  }
}

function badNumber(problem: string): UsageError {
  const wish = 'Expected 0 for all events, or the seq of an event of this run.'
  return new UsageError('bad_event_number', `${problem} ${wish}`)
}
