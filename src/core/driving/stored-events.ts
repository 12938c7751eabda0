import type { StoredEvent } from '../domain/event.ts'
import { eventOf, type EventSource } from '../domain/event-of.ts'
import { freezeDeep } from '../domain/text/json.ts'
import type { EventRows } from '../ports/event-rows.ts'

const pageSize = 50

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
      const entries = await this.#store.entries(this.#of.runId, Math.max(seq, this.#last), pageSize)
      const last = entries.at(-1)
      if (last === undefined) return []
      this.#last = last.seq
      const events = entries.flatMap((entry) => freezeDeep(eventOf(entry, this.#of)) ?? [])
      if (events.length > 0) return events
    }
  }
}
