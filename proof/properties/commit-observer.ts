import { isDeepStrictEqual } from 'node:util'
import { type CallRecord, isTerminal } from '../../src/core/domain/call.ts'
import type { ToolResultMessage } from '../../src/core/domain/message.ts'
import type { Suspension } from '../../src/core/domain/suspension.ts'
import type { FirstCommit } from '../../src/core/ports/store.ts'
import type { StoreObserver } from '../../src/testing/crash/mortal-store.ts'

/** The contents of a run's commits so far, and the faults of one of them. */
export class CommitObserver implements StoreObserver {
  readonly calls = new Map<string, CallRecord>()
  readonly suspensions = new Map<string, Suspension & { readonly callId: string }>()
  readonly faults: string[] = []
  /** Commits stored. */
  commits = 0
  #tries = 0
  #isDone = false

  /** Takes in a commit that was stored. */
  committed({ append, calls, status }: FirstCommit): void {
    this.commits++
    if (this.#isDone) this.faults.push('a commit follows the end of the run')
    this.#isDone = status === 'done'
    for (const entry of append) if (entry.kind === 'call') this.#take(entry.call)
    for (const { record } of calls) this.#take(record)
  }

  /** Counts a try to commit; refuses where the run has made more of them than any sequence needs. */
  committing(): void {
    if (++this.#tries === 1000) this.faults.push('the run commits without end')
    if (this.#tries >= 1000) throw new Error('The run commits without end.')
  }

  #take(record: CallRecord): void {
    const { callId, status, suspension } = record
    const before = this.calls.get(callId)
    if (before !== undefined && isTerminal(before.status)) {
      if (before.status !== status) this.faults.push(`${callId} had settled ${before.status} and became ${status}`)
      if (!isSameResult(before, record)) this.faults.push(`the result of ${callId} changed`)
    }
    if (suspension !== undefined) this.suspensions.set(suspension.id, { ...suspension, callId })
    this.calls.set(callId, record)
  }
}

/** The note on repeats comes to a result when its round is taken in, before any model has seen it. */
function isSameResult({ result: before }: CallRecord, { result: now }: CallRecord): boolean {
  return isDeepStrictEqual(withoutNote(before), withoutNote(now))
}

function withoutNote(result: ToolResultMessage | undefined): ToolResultMessage | undefined {
  if (result === undefined) return undefined
  const isNote = (block: ToolResultMessage['content'][number]) =>
    block.type === 'text' && block.text.startsWith('[This call has been repeated')
  return { ...result, content: result.content.filter((block) => !isNote(block)) }
}
