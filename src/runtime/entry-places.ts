import { heldIn, type LogEntry } from '../domain/log.ts'

/** Which entry of a log holds a message, a result, a state or a value, by identity. */
export class EntryPlaces {
  readonly #seqs = new WeakMap<object, number>()

  note(entry: LogEntry): void {
    const held = heldIn(entry)
    if (typeof held === 'object' && held !== null) this.#seqs.set(held, entry.seq)
  }

  /** Undefined where no entry, of those there are now, holds this very value. */
  of(held: unknown, entries: readonly (LogEntry | undefined)[]): number | undefined {
    const seq = typeof held === 'object' && held !== null ? this.#seqs.get(held) : undefined
    const entry = entries[seq ?? -1]
    return entry !== undefined && heldIn(entry) === held ? seq : undefined
  }
}
