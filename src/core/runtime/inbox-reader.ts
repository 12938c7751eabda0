import { type InboxRow, queuedKinds, saidIn, saidKinds, type StoredDecision } from '../domain/inbox.ts'
import type { InputMessage } from '../domain/message.ts'
import { asStoreError, StoreError } from '../domain/store-error.ts'
import type { Store } from '../ports/store.ts'

/** Reads what others sent to a run, and returns each row once for every time the run reaches it. */
export class InboxReader {
  readonly #store: Store
  readonly #runId: string
  #decisions: Map<string, StoredDecision> | undefined
  /** The messages to the run by row, for the references of its queue. */
  #said: Map<number, readonly InputMessage[]> | undefined
  #rows: InboxRow[] = []
  #after = 0
  #isStale = true

  /** `said` are the rows that the state of the run may name. */
  constructor(store: Store, runId: string, said: readonly InboxRow[] = []) {
    this.#store = store
    this.#runId = runId
    for (const row of said) this.#hear(row)
  }

  /** True if there may be rows that were not read yet. */
  get hasNews(): boolean {
    return this.#isStale || this.#rows.length > 0
  }

  /** True if the store may hold rows that have not been read. */
  get isStale(): boolean {
    return this.#isStale
  }

  /** Requests another read of the store before anything else is processed. */
  expire(): void {
    this.#isStale = true
  }

  /** Reads the rows for which a commit was refused. */
  async fetchRefusing(): Promise<void> {
    await this.fetch()
    if (this.hasNews) return
    const found = `The store refused a commit of run "${this.#runId}" for rows of its inbox and lists none`
    throw new StoreError('store_unavailable', `${found}. The run stays at its last commit: check the store.`)
  }

  /** Hands every row out once more that no commit has consumed. */
  rewind(): void {
    this.#rows = []
    this.#after = 0
    this.#isStale = true
  }

  async fetch(): Promise<void> {
    this.#isStale = false
    const rows = await this.#store.inbox(this.#runId, { isOpen: true, after: this.#after })
    this.#rows.push(...rows)
    this.#after = Math.max(this.#after, ...rows.map(({ id }) => id))
    for (const row of rows) {
      const { item } = row
      if (saidKinds.some((kind) => kind === item.kind)) this.#hear(row)
      if (item.kind !== 'decision') continue
      this.#decisions ??= new Map()
      this.#decisions.set(item.decision.decisionId, item.decision)
    }
  }

  #hear(row: InboxRow): void {
    this.#said ??= new Map()
    this.#said.set(row.id, saidIn(row))
  }

  /** Returns the messages of a row; undefined if it was never read. */
  said(id: number): readonly InputMessage[] | undefined {
    return this.#said?.get(id)
  }

  /** Takes messages out of the inbox, before everything else. */
  takeQueued(): readonly InboxRow[] {
    const rows = this.#rows.filter(({ item }) => queuedKinds.has(item.kind))
    this.#rows = this.#rows.filter(({ item }) => !queuedKinds.has(item.kind))
    return rows
  }

  /**
   * Returns messages to the run first, because any other row may end the run, which then reads no more. Kept decisions are
   * next, because any other row may let their call ask, and only the last of them answers. Decisions that arrived together
   * follow in the order of their calls' slots; every other row keeps its place.
   */
  take(slotOf: (callId: string) => number | undefined): readonly InboxRow[] {
    const slot = ({ item }: InboxRow) => (item.kind === 'decision' ? (slotOf(item.decision.callId) ?? 0) : 0)
    const isKept = ({ item }: InboxRow) => item.kind === 'decision' && item.decision.suspensionId === null
    const said = this.takeQueued()
    const rows = this.#rows.splice(0)
    const kept = rows.filter(isKept).toSorted((left, right) => slot(left) - slot(right))
    const groups: InboxRow[][] = []
    for (const row of rows) {
      if (isKept(row)) continue
      const group = groups.at(-1)
      if (row.item.kind === 'decision' && group?.[0]?.item.kind === 'decision') group.push(row)
      else groups.push([row])
    }
    return [...said, ...kept, ...groups.flatMap((group) => group.toSorted((left, right) => slot(left) - slot(right)))]
  }

  /** A decision with its payload, read here or consumed before; rejects with a `StoreError` if the store fails. */
  async decision(decisionId: string): Promise<StoredDecision | undefined> {
    const known = this.#decisions?.get(decisionId)
    if (known !== undefined) return known
    try {
      const [row] = await this.#store.inbox(this.#runId, { decisionId })
      return row?.item.kind === 'decision' ? row.item.decision : undefined
    } catch (error) {
      throw asStoreError(error)
    }
  }
}
