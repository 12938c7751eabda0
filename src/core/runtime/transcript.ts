import { placeholderMessage, shownResult } from '../domain/call.ts'
import { KeptStarts } from '../domain/kept-starts.ts'
import type { LogEntry } from '../domain/log.ts'
import type { Message } from '../domain/message.ts'
import { freezeDeep } from '../domain/text/json.ts'

/** The messages that a log shows. Only those from the first changed entry on are computed again. */
export class Transcript {
  #messages: Message[] = []
  /** The number of messages before each entry. */
  readonly #before: number[] = [0]
  #valid = 0
  readonly #starts = new KeptStarts()
  readonly #given = new WeakMap<readonly Message[], number>()

  /** Called if an entry, or what is shown in its place, has changed. */
  changed(seq: number): void {
    this.#valid = Math.min(this.#valid, seq)
  }

  from(
    entries: readonly (LogEntry | undefined)[],
    shown: (entry: LogEntry) => Message | undefined,
  ): readonly Message[] {
    this.#messages.length = this.#before[this.#valid] ?? 0
    if (this.#valid < entries.length) this.#starts.changed(this.#messages.length)
    for (let seq = this.#valid; seq < entries.length; seq++) {
      this.#before[seq] = this.#messages.length
      const entry = entries[seq]
      const message = entry === undefined ? undefined : shown(entry)
      if (message !== undefined) this.#messages.push(message)
    }
    this.#before[entries.length] = this.#messages.length
    this.#valid = entries.length
    const given = [...this.#messages]
    this.#given.set(given, this.#starts.revision)
    return given
  }

  /** Returns the number of first messages that an earlier list shares with the last one; undefined for another list. */
  keptOf(messages: readonly Message[]): number | undefined {
    const revision = this.#given.get(messages)
    return revision === undefined ? undefined : this.#starts.keptSince(revision)
  }
}

/** Returns true if an entry has its own place in the transcript: a call has one once it has a result. */
export function hasPlace(entry: LogEntry): boolean {
  if (entry.kind === 'call') return shownResult(entry.call) !== undefined
  return entry.kind === 'message' && entry.place === undefined
}

/** Returns the cost of the answers among these entries, in US dollars. */
export function costIn(entries: readonly (LogEntry | undefined)[]): number {
  return entries.reduce((sum, entry) => {
    const isAnswered = entry?.kind === 'message' && entry.message.role === 'assistant'
    return isAnswered ? sum + (entry.message.cost ?? 0) : sum
  }, 0)
}

/** Returns the message that an entry shows in the transcript; an open slot shows its placeholder. */
export function shownMessage(entry: LogEntry): Message | undefined {
  if (entry.kind === 'message') return entry.place === undefined ? entry.message : undefined
  if (entry.kind !== 'call') return undefined
  return shownResult(entry.call) ?? freezeDeep(placeholderMessage(entry.call))
}
