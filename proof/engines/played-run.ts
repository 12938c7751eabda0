import type { SuspendedCall } from '../../src/core/domain/call.ts'
import type { Journal } from './journal.ts'
import { say } from '../support/say.ts'
import { askObject, readRun } from './object-client.ts'

/** The address of the objects for a client, which changes with each fault. */
export interface Place {
  url: string
  readonly journal: Journal
  /** The moment of the steady clock since which the server accepts requests; undefined while it does not. */
  since: number | undefined
  /** The name of the last fault. */
  fault: string
}

/** One run as its client sees it. Whatever is not answered is asked again. */
export class PlayedRun {
  readonly id: string
  isDone = false
  /** A line for each message of the run, and then of its sub-agent's, when it is done. */
  transcript: readonly string[] = []
  /** The longest times in milliseconds that it had something to do and stood still while the server accepted requests, by the last fault. */
  readonly stallMs = new Map<string, number>()
  /** The number of interrupted calls that the client decided about. */
  interrupted = 0
  #child = ''
  /** The suspension that was answered last; the answer is stored. */
  #answered: string | undefined
  #state = ''
  #movedAt = performance.now()
  #isResting = false
  #isStored = false
  #problem: string | undefined

  constructor(id: string) {
    this.id = id
  }

  /** Returns true if it has something to do and has not moved since a moment of the steady clock. */
  isStillSince(moment: number): boolean {
    return !this.isDone && !this.#isResting && this.#movedAt < moment
  }

  get longestMs(): number {
    return Math.max(0, ...this.stallMs.values())
  }

  paymentsIn(journal: Journal): number {
    return journal.count(`/pay/${this.#child}`)
  }

  get problem(): string | undefined {
    if (!this.isDone) return `${this.id} did not end.`
    return this.#problem
  }

  /** Does what its client does next. */
  async advance(place: Place): Promise<void> {
    const { url } = place
    const found = await readRun(url, this.id)
    if (found === undefined) return this.#see('', place)
    if (found === 'unknown') return this.#start(place)
    this.#isStored = true
    const { status, suspended, messages, outcome } = found
    const [asked] = suspended
    this.#see(`${status} ${messages.length} ${asked?.suspension?.id}`, place)
    if (status === 'waiting' && asked !== undefined) return this.#answer(asked, place)
    this.#isResting = false
    if (status !== 'done') return
    const child = await readRun(url, this.#child, this.id)
    if (typeof child !== 'object') return
    this.isDone = true
    this.transcript = [...messages, ...child.messages].map(say)
    const isWhole = outcome?.reason === 'natural_end' && messages.length === 8
    if (!isWhole) this.#problem = `${this.id} ended as ${outcome?.reason} with ${messages.length} messages.`
    else if (this.paymentsIn(place.journal) === 0)
      this.#problem = `${this.id} is done and was not paid: ${this.transcript.join(' | ')}`
  }

  async #start(place: Place): Promise<void> {
    if (this.#isStored) {
      this.isDone = true
      this.#problem = `${this.id} was stored, and is unknown now.`
      return
    }
    const started = await askObject(place.url, `/${this.id}/runs`, { prompt: 'Buy it.', runId: this.id })
    this.#isStored = started !== undefined
    this.#count(place, this.#isStored)
  }

  async #answer({ callId, suspension }: SuspendedCall, place: Place): Promise<void> {
    const { url, journal } = place
    const { id: decisionId, reason } = suspension ?? {}
    this.#isResting = decisionId !== this.#answered
    if (!this.#isResting) return
    this.#child = callId.split('/')[0] ?? ''
    // A person looks at the outside: what was paid is not paid again.
    const isPaid = reason === 'interrupted' && this.paymentsIn(journal) > 0
    const how = isPaid ? { mode: 'use-as-result', result: 'ok' } : { mode: 'replay' }
    const decision = { target: callId, action: 'resume', decisionId, ...how }
    const receipts = await askObject(url, `/${this.id}/runs/${this.id}/decisions`, { decisions: [decision] })
    this.#isResting = false
    this.#count(place, receipts !== undefined)
    if (receipts === undefined) return
    this.#answered = decisionId
    if (reason === 'interrupted') this.interrupted++
  }

  #see(state: string, place: Place): void {
    const hasMoved = state !== '' && state !== this.#state
    this.#count(place, hasMoved)
    if (hasMoved) this.#state = state
  }

  /** It stood still until this look at it has ended, however long the look took. */
  #count({ since, fault }: Place, hasMoved: boolean): void {
    const now = performance.now()
    const stallMs = this.#isResting || since === undefined ? 0 : now - Math.max(this.#movedAt, since)
    this.stallMs.set(fault, Math.max(this.stallMs.get(fault) ?? 0, stallMs))
    if (hasMoved) this.#movedAt = now
  }
}
