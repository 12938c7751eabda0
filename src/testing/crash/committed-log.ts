import type { CallRecord, CallStatus } from '../../core/domain/call.ts'
import type { LogEntry } from '../../core/domain/log.ts'
import { summariesIn } from '../../core/domain/paid-requests.ts'
import type { Message } from '../../core/domain/message.ts'
import type { PostAnswer, PostedItem } from '../../core/domain/inbox.ts'
import type { FirstCommit } from '../../core/ports/store.ts'
import { RunLog } from '../../core/runtime/run-log.ts'
import type { StoreObserver } from './mortal-store.ts'
import { type Said, saidIn } from './said.ts'

/** A record of one run's commits and lease owners, written as they happen. It does not read the store. */
export class CommittedLog implements StoreObserver {
  readonly #runId: string
  readonly #said: Said[] = []
  readonly #entries = new Map<number, LogEntry>()
  /** Summaries with stored results, by the text that was summarised. */
  readonly #paid = new Set<string>()
  #asked: string | undefined
  #isHeld = false
  #takeovers = 0

  constructor(runId: string) {
    this.#runId = runId
  }

  /** The number of leases taken from a process that had not released them. */
  get takeovers(): number {
    return this.#takeovers
  }

  /** Messages to the run from outside, in the order in which they were stored. */
  get said(): readonly Said[] {
    return this.#said
  }

  posted(runId: string, item: PostedItem, answer: PostAnswer): void {
    if (runId === this.#runId && answer === 'applied') this.#said.push(...saidIn(item))
  }

  leased(runId: string): void {
    if (runId !== this.#runId) return
    if (this.#isHeld) this.#takeovers++
    this.#isHeld = true
  }

  released(runId: string): void {
    if (runId === this.#runId) this.#isHeld = false
  }

  committed({ append, calls }: Pick<FirstCommit, 'append' | 'calls'>, runId: string): void {
    // A sub-agent's commits belong to its own log.
    if (runId !== this.#runId) return
    for (const entry of append) {
      this.#entries.set(entry.seq, entry)
      if (this.#asked !== undefined && summariesIn([entry]).length > 0) this.#paid.add(this.#asked)
    }
    for (const { record } of calls) this.#entries.set(record.seq, { kind: 'call', seq: record.seq, call: record })
  }

  begun(log: readonly LogEntry[], runId: string): void {
    this.committed({ append: log, calls: [] }, runId)
  }

  /** Records a request for a summary; returns false if its result is already stored. */
  asksSummary(told: string): boolean {
    this.#asked = told
    return !this.#paid.has(told)
  }

  statusOf(callId: string): CallStatus | undefined {
    return this.#calls().find((call) => call.callId === callId)?.status
  }

  messages(): readonly Message[] {
    return messagesOf(this.#inOrder())
  }

  #calls(): readonly CallRecord[] {
    return [...this.#entries.values()].flatMap((entry) => (entry.kind === 'call' ? [entry.call] : []))
  }

  #inOrder(): readonly LogEntry[] {
    return [...this.#entries.values()].toSorted((left, right) => left.seq - right.seq)
  }
}

/** Returns the transcript of a log. */
export function messagesOf(log: readonly LogEntry[]): readonly Message[] {
  return new RunLog(log, (log.at(-1)?.seq ?? 0) + 1).messages()
}
