import { nextLoopTurn } from '../core/domain/text/platform.ts'
import type { AgentEvent, Run } from '../index.ts'
import type { EventIterator, EventPlace, StoredEvent, StoredEventIterator } from '../ports.ts'

/** The events of a run as they are told and stored, each once, in the order in which the run told them. */
export interface FollowedEvents {
  /** As `StoredEventIterator.opened`. */
  opened(): Promise<{ readonly isOver: boolean }>
  /** Undefined once the run is at rest and everything was given. */
  next(): Promise<AgentEvent | undefined>
  end(): Promise<void>
}

/** The stored events after a place, and those that come. */
export function followStored(run: Run, after: EventPlace): FollowedEvents {
  const events = run.eventsAfter(after)
  return {
    opened: () => events.opened(),
    next: async () => {
      const { done, value } = await events.next()
      return done === true ? undefined : value
    },
    end: async () => {
      events.end()
      await events.return?.()
    },
  }
}

/**
 * The same, with what this process tells of work under way between them. A reader that is so slow that it misses what was
 * told goes on with what is stored, and hears of work under way again once it has caught up.
 */
export function followWithDeltas(run: Run, after: EventPlace): FollowedEvents {
  return new MergedEvents(
    run,
    run.eventsAfter(after),
    run.events(),
    typeof after === 'number' ? after : (after.seq ?? 0),
  )
}

/**
 * Merges two orders of the same events. Numbered events come from whichever source has the next one. What has no number is
 * told by this process alone, and is given where it was told: behind the numbered event that was told before it.
 */
class MergedEvents implements FollowedEvents {
  readonly #run: Run
  readonly #storedEvents: StoredEventIterator
  readonly #stored: Source<StoredEvent>
  #liveEvents: EventIterator
  /** Undefined once this process tells nothing more. */
  #live: Source<AgentEvent> | undefined
  /** Told and not yet given. */
  #told: AgentEvent[] = []
  /** Number of the event that the first of these was told behind; undefined until it is known. */
  #place: number | undefined
  /** Number of the last event that was given. */
  #given: number
  /** Read, and behind what was told before it. */
  #ahead: StoredEvent | undefined
  /** The last turn whose answer was given. */
  #answered = 0
  #wake: (() => void) | undefined

  constructor(run: Run, stored: StoredEventIterator, live: EventIterator, given: number) {
    this.#run = run
    this.#storedEvents = stored
    this.#stored = this.#sourceOf(stored)
    this.#liveEvents = live
    this.#live = this.#sourceOf(live)
    this.#given = given
  }

  async opened(): Promise<{ readonly isOver: boolean }> {
    const opened = await this.#storedEvents.opened()
    const caughtUp = () => {
      this.#place ??= this.#given
      this.#wake?.()
    }
    this.#storedEvents.caughtUp().then(caughtUp, caughtUp)
    return opened
  }

  async next(): Promise<AgentEvent | undefined> {
    for (;;) {
      const event = this.#nextTold()
      if (event !== undefined) return event
      const ahead = this.#ahead
      this.#ahead = undefined
      if (ahead !== undefined) {
        this.#given = ahead.seq
        return this.#give(ahead)
      }
      this.#stored.ask()
      const live = this.#mayTellNext() ? this.#live : undefined
      live?.ask()
      // Of two that are there, what was told comes first: it may stand before what is stored.
      if (live?.has === false && this.#stored.has) await nextLoopTurn()
      // Until the first stored event is read, what is told gathers where pieces are put together, not here.
      if (live?.has === true && this.#place === undefined && this.#told.length > 0) await nextLoopTurn()
      if (live?.has === true) this.#hear(live)
      else if (this.#stored.has) {
        const { done, value } = this.#stored.take()
        if (done === true) return undefined
        if (value.seq <= this.#given) continue
        const told = this.#told.find(({ seq }) => seq !== undefined)?.seq
        if (this.#place === undefined && told !== undefined && value.seq >= told) {
          this.#place = this.#given
          this.#ahead = value
          continue
        }
        this.#given = value.seq
        return this.#give(value)
      } else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** The next of what was told and has no number, if its turn has come. The store gives what has one. */
  #nextTold(): AgentEvent | undefined {
    for (let event = this.#told[0]; event !== undefined; event = this.#told[0]) {
      const { seq } = event
      if (seq === undefined ? this.#place === undefined : seq > this.#given) return undefined
      this.#told.shift()
      if (seq !== undefined) this.#place = seq
      else if (this.#given === this.#place || this.#isUnderWay(event)) return event
    }
    return undefined
  }

  /**
   * Of a run that another process drives, this one tells the answer under way alone: no number says where it stands, but the
   * store has not given its end.
   */
  #isUnderWay(event: AgentEvent): boolean {
    return (event.type === 'message.started' || event.type === 'message.updated') && event.turn > this.#answered
  }

  #give<Event extends AgentEvent>(event: Event): Event {
    if (event.type === 'turn.ended' || (event.type === 'message.ended' && event.message.role === 'assistant'))
      this.#answered = event.turn
    return event
  }

  /** False while the store has to give what was told before. */
  #mayTellNext(): boolean {
    return (this.#told[0]?.seq ?? 0) <= this.#given
  }

  /** What a slow reader has missed is stored, but for what told of work under way: it hears anew, from now on. */
  #hear(live: Source<AgentEvent>): void {
    try {
      const { done, value } = live.take()
      if (done === true) this.#live = undefined
      else this.#told.push(value)
    } catch {
      this.#told = []
      this.#liveEvents = this.#run.events()
      this.#live = this.#sourceOf(this.#liveEvents)
    }
  }

  #sourceOf<Item>(items: AsyncIterator<Item>): Source<Item> {
    return new Source(items, () => this.#wake?.())
  }

  async end(): Promise<void> {
    this.#liveEvents.end()
    this.#storedEvents.end()
    await this.#storedEvents.return?.()
  }
}

/** One iterator, asked for one item at a time. */
class Source<Item> {
  readonly #items: AsyncIterator<Item>
  readonly #wake: () => void
  #isAsked = false
  #answer: (() => IteratorResult<Item, unknown>) | undefined

  constructor(items: AsyncIterator<Item>, wake: () => void) {
    this.#items = items
    this.#wake = wake
  }

  get has(): boolean {
    return this.#answer !== undefined
  }

  ask(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    const answered = (answer: () => IteratorResult<Item, unknown>) => {
      this.#answer = answer
      this.#wake()
    }
    this.#items.next().then(
      (result) => answered(() => result),
      (error: unknown) =>
        answered(() => {
          throw error
        }),
    )
  }

  /** What the iterator gave; throws what it threw. */
  take(): IteratorResult<Item, unknown> {
    const answer = this.#answer
    if (answer === undefined) throw new TypeError('nothing is there to take')
    this.#answer = undefined
    this.#isAsked = false
    return answer()
  }
}
