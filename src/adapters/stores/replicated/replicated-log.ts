import { StoreError } from '../../../core/domain/store-error.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Store } from '../../../core/ports/store.ts'
import type { Watchers } from '../../../core/stores/rows/watchers.ts'
import { decodeChange, encodeChange } from './change.ts'
import { type Head, hashAfter, type Journal, noHead, type Wake } from './journal.ts'
import { type LocalStore, localStore } from './local-store.ts'
import { nextWake } from './next-wake.ts'
import { readBehind } from './read-behind.ts'
import { Replica } from './replica.ts'

/** The end of the work for an alarm. */
export interface Rest {
  /** The alarm that went off. */
  readonly woken: number
  /** What is due now, and was due all the time, is looked at again in so many milliseconds. */
  readonly afterMs: number
}

interface LogParts {
  readonly watchers: Watchers
  /** What is only read may be so many milliseconds old. */
  readonly readAgeMs: number
}

/** A fold is written when the changes behind the last one are longer than it, and not for less than this. */
const leastTail = 64_000
const mostFold = 16_000_000
const chunkLength = 500_000
/** Others were first so often in a row that something must be wrong. */
const mostTries = 200

/** A journal with its replica in this process. */
export class ReplicatedLog {
  readonly #journal: Journal
  readonly #clock: Pick<Clock, 'now'>
  readonly #watchers: Watchers
  #replica = new Replica()
  #local: LocalStore
  #head: Head = noHead
  readonly #readAgeMs: number
  /** The moment of the steady clock at which the replica was last known to be as the journal is. */
  #seenAt = -Infinity
  /** True if others have written since somebody looked. */
  #isChanged = false
  #turn: Promise<unknown> = Promise.resolve()

  constructor(journal: Journal, clock: Pick<Clock, 'now'>, { watchers, readAgeMs }: LogParts) {
    this.#journal = journal
    this.#readAgeMs = readAgeMs
    this.#clock = clock
    this.#watchers = watchers
    this.#local = localStore(this.#replica, clock, watchers)
  }

  /** The head as it was last seen. */
  get head(): Head {
    return this.#head
  }

  /** Has the journal asked before the next answer, even if it was asked just now. */
  doubt(): void {
    this.#seenAt = -Infinity
  }

  /** Forgets the changes of others up to now. */
  settle(): void {
    this.#isChanged = false
  }

  /**
   * Works in the replica until what was done fits the journal, and is kept there. What `work` returns is true from then on;
   * it is done again if others were first. Throws, and keeps nothing, if the journal cannot be reached.
   */
  write<Result>(work: (store: Store) => Promise<Result>, rest?: Rest): Promise<Result> {
    const result = this.#turn.then(() => this.#write(work, rest))
    this.#turn = result.catch(() => undefined)
    return result
  }

  /** Closes the replica after what is under way. */
  async close(): Promise<void> {
    await this.#turn
    this.#replica.close()
  }

  async #write<Result>(work: (store: Store) => Promise<Result>, rest: Rest | undefined): Promise<Result> {
    for (let tries = 0; tries < mostTries; tries++) {
      const { result, offered, isKept } = await this.#try(work, rest)
      if (isKept || (await this.#catchUp(offered))) return result
    }
    throw new StoreError('store_busy', `Others wrote to this object first, ${mostTries} times in a row. Try again.`)
  }

  /** Works once, and offers the change. It is undone unless the journal is then as this replica is. */
  async #try<Result>(work: (store: Store) => Promise<Result>, rest: Rest | undefined) {
    const fold = this.#dueFold()
    this.#replica.begin()
    let isKept = false
    try {
      const result = await work(this.#local.store)
      const change = this.#replica.changed()
      const text = change === undefined ? undefined : encodeChange(change)
      const { hash } = this.#head
      const offered = text === undefined ? hash : hashAfter(hash, text)
      const asked = performance.now()
      const isYoung = text === undefined && rest === undefined && asked - this.#seenAt < this.#readAgeMs
      const head = isYoung ? this.#head : await this.#offer(text, fold, rest)
      isKept = head.hash === offered
      if (isKept) this.#head = head
      if (isKept && !isYoung) this.#seenAt = asked
      return { result, offered, isKept }
    } finally {
      if (isKept) this.#replica.keep()
      // The store knows which tables it has made.
      else if (this.#replica.undo()) this.#local = localStore(this.#replica, this.#clock, this.#watchers)
      else this.#local.forget()
    }
  }

  async #offer(change: string | undefined, fold: readonly string[] | undefined, rest: Rest | undefined): Promise<Head> {
    const { n, hash } = this.#head
    if (change === undefined && rest === undefined) return (await this.#journal.read({ n, hash, skip: 0 })).head
    const wake = this.#wake(rest?.afterMs ?? 0)
    return this.#journal.append({
      expect: hash,
      ...(change === undefined ? {} : { change }),
      ...(change === undefined || fold === undefined ? {} : { fold }),
      ...(wake === undefined ? {} : { wake }),
      ...(rest === undefined ? {} : { woken: rest.woken }),
    })
  }

  #wake(afterMs: number): Wake | undefined {
    const due = nextWake(this.#replica.storage)
    if (due === undefined) return undefined
    const now = this.#clock.now()
    const at = due > now || this.#isChanged ? Math.max(due, now) : now + afterMs
    return { at, inMs: at - now }
  }

  /** Returns the content in chunks if the changes have outgrown the last fold. */
  #dueFold(): readonly string[] | undefined {
    const { tail, fold } = this.#head
    if (tail <= Math.max(leastTail, fold?.length ?? 0) || tail > mostFold) return undefined
    const text = encodeChange(this.#replica.fold())
    const chunks = Math.ceil(text.length / chunkLength)
    return Array.from({ length: chunks }, (_, place) => text.slice(place * chunkLength, (place + 1) * chunkLength))
  }

  /** Makes the replica equal to the journal. Returns true if an offer of this replica is among what was read. */
  async #catchUp(offered: string): Promise<boolean> {
    const { n, hash } = this.#head
    return (await this.#readFrom({ n, hash }, offered)) ?? (await this.#readFrom(noHead, offered)) ?? damaged()
  }

  /** Returns undefined if what was read does not belong to the place. */
  async #readFrom(place: Pick<Head, 'n' | 'hash'>, offered: string): Promise<boolean | undefined> {
    const { head, fold, changes } = await readBehind(this.#journal, place)
    const isWhole = fold !== undefined || head.n === changes.length
    const start = isWhole ? (head.fold?.hash ?? '') : place.hash
    const hashes = [start]
    for (const change of changes) hashes.push(hashAfter(hashes.at(-1) ?? '', change))
    if (hashes.at(-1) !== head.hash) return undefined
    if (isWhole) this.#reset()
    for (const text of fold === undefined ? changes : [fold, ...changes]) this.#replica.apply(decodeChange(text))
    this.#head = head
    this.#isChanged = true
    this.#local.forget()
    this.#watchers.notifyAll()
    return hashes.slice(1).includes(offered)
  }

  #reset(): void {
    this.#replica.close()
    this.#replica = new Replica()
    this.#local = localStore(this.#replica, this.#clock, this.#watchers)
  }
}

function damaged(): never {
  throw new StoreError(
    'store_unavailable',
    'The journal of this object does not have the content that its head names. Nothing was changed: restore it from a copy.',
  )
}
