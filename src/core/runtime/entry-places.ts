import { heldIn, type LogEntry } from '../domain/log.ts'

/** Which entry of a log holds a message, a result, a state or a value, by identity. Nothing is noted before somebody asks. */
export class EntryPlaces {
  #seqs: WeakMap<object, number> | undefined

  note(entry: LogEntry): void {
    if (this.#seqs !== undefined) note(entry, this.#seqs)
  }

  /** Undefined where no entry, of those there are now, holds this very value. */
  of(held: unknown, entries: readonly (LogEntry | undefined)[]): number | undefined {
    this.#seqs ??= placesIn(entries)
    const seq = typeof held === 'object' && held !== null ? this.#seqs.get(held) : undefined
    const entry = entries[seq ?? -1]
    return entry !== undefined && heldIn(entry) === held ? seq : undefined
  }
}

function placesIn(entries: readonly (LogEntry | undefined)[]): WeakMap<object, number> {
  const seqs = new WeakMap<object, number>()
  for (const entry of entries) if (entry !== undefined) note(entry, seqs)
  return seqs
}

function note(entry: LogEntry, seqs: WeakMap<object, number>): void {
  const held = heldIn(entry)
  if (typeof held === 'object' && held !== null) seqs.set(held, entry.seq)
}
