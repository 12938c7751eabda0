import type { StoredEvent } from '../domain/event.ts'
import { eventOf, type EventSource } from '../domain/event-of.ts'
import { freezeDeep } from '../domain/text/json.ts'
import { nextLoopTurn } from '../domain/text/platform.ts'
import type { EventRows } from '../ports/event-rows.ts'

const pageSize = 50

/** The events of some entries, and the number of the last entry. */
interface Page {
  readonly last: number | undefined
  readonly events: readonly StoredEvent[]
}

/** The pages that were asked for in this turn of the event loop, by run and number. */
const sharedPages = new WeakMap<EventRows, Map<string, Promise<Page>>>()

/** Reads the stored events of one run, a page at a time. */
export class StoredEvents {
  readonly #store: EventRows
  readonly #of: EventSource
  #last = 0

  constructor(store: EventRows, of: EventSource) {
    this.#store = store
    this.#of = of
  }

  /** Returns true if a run has an entry of this number or a later one, or the number is 0. */
  async has(seq: number): Promise<boolean> {
    return seq === 0 || (await this.#store.entries(this.#of.runId, seq - 1, 1)).length > 0
  }

  /** Reads the next events after a number; empty if there are no newer ones. */
  async after(seq: number): Promise<readonly StoredEvent[]> {
    for (;;) {
      const { last, events } = await this.#page(Math.max(seq, this.#last))
      if (last === undefined) return []
      this.#last = last
      if (events.length > 0) return events
    }
  }

  /** Readers that follow one run together read each page once. */
  async #page(after: number): Promise<Page> {
    const pages = sharedPages.get(this.#store) ?? new Map<string, Promise<Page>>()
    sharedPages.set(this.#store, pages)
    const name = `${after} ${this.#of.runId}`
    const known = pages.get(name)
    if (known !== undefined) {
      const shared = await known
      // An empty page may be older than the question.
      if (shared.last !== undefined) return shared
    }
    const page = this.#read(after)
    pages.set(name, page)
    const forget = () => pages.get(name) === page && pages.delete(name)
    void page.then(nextLoopTurn, forget).then(forget)
    return page
  }

  async #read(after: number): Promise<Page> {
    const entries = await this.#store.entries(this.#of.runId, after, pageSize)
    return {
      last: entries.at(-1)?.seq,
      events: entries.flatMap((entry) => freezeDeep(eventOf(entry, this.#of)) ?? []),
    }
  }
}
