import { type CallRecord, isTerminal, shownResult } from '../domain/call.ts'

/** The slot that shows an appended message, and the part of the previous prompt with which an answer's prompt began. */
export interface Appending {
  readonly place?: number | undefined
  readonly prefixShare?: number | undefined
}

/** The slots of settled calls whose results are in the transcript but in no published entry. */
export class UnpublishedResults {
  readonly #slots = new Set<number>()

  note(call: CallRecord): void {
    const { seq, status, placeholder, resultSeq } = call
    const waits = isTerminal(status) && shownResult(call) !== undefined && placeholder !== true
    if (waits && resultSeq === undefined) this.#slots.add(seq)
    else this.#slots.delete(seq)
  }

  /** Returns the slots in order. */
  slots(): readonly number[] {
    return [...this.#slots].sort((left, right) => left - right)
  }

  clear(): void {
    this.#slots.clear()
  }
}
