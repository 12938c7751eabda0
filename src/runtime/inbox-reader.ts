import type { InboxRow } from '../domain/inbox.ts'
import type { Store } from '../ports/store.ts'

/** What others posted to a run, each row handed out once. */
export class InboxReader {
  readonly #store: Store
  readonly #runId: string
  #rows: InboxRow[] = []
  #after = 0
  #isStale = true

  constructor(store: Store, runId: string) {
    this.#store = store
    this.#runId = runId
  }

  /** True where there may be rows nobody has been handed. */
  get hasNews(): boolean {
    return this.#isStale || this.#rows.length > 0
  }

  get isStale(): boolean {
    return this.#isStale
  }

  /** The store has been told of something new. */
  expire(): void {
    this.#isStale = true
  }

  /** Hands out every unconsumed row again, for a machine that starts from its last commit. */
  restart(): void {
    this.#rows = []
    this.#after = 0
    this.#isStale = true
  }

  async fetch(): Promise<void> {
    this.#isStale = false
    const rows = await this.#store.inbox(this.#runId, this.#after)
    this.#rows.push(...rows)
    this.#after = Math.max(this.#after, ...rows.map(({ id }) => id))
  }

  /** Decisions that came together are handed out in the order of their calls' slots; every other row keeps its place. */
  take(slotOf: (callId: string) => number | undefined): readonly InboxRow[] {
    const slot = ({ item }: InboxRow) => (item.kind === 'decision' ? (slotOf(item.decision.callId) ?? 0) : 0)
    const groups: InboxRow[][] = []
    for (const row of this.#rows.splice(0)) {
      const group = groups.at(-1)
      if (row.item.kind === 'decision' && group?.[0]?.item.kind === 'decision') group.push(row)
      else groups.push([row])
    }
    return groups.flatMap((group) => group.toSorted((left, right) => slot(left) - slot(right)))
  }
}
