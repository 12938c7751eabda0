import { StoreError } from '../../../core/domain/store-error.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Store } from '../../../core/ports/store.ts'
import type { Watchers } from '../../../core/stores/rows/watchers.ts'
import { type Change, decodeChange, encodeChange, mostBytes, mostFoldBytes } from './change.ts'
import { type Appended, EntryRefused, type Head, hashAfter, type Journal, noHead, type Wake } from './journal.ts'
import { type LocalStore, localStore } from './local-store.ts'
import { nextWake } from './next-wake.ts'
import { readBehind } from './read-behind.ts'
import { Replica } from './replica.ts'

/** The state of the work after an alarm. */
export interface Rest {
  /** The alarm that went off. */
  readonly woken: number
  /** The milliseconds after which work that stays due is checked again. */
  readonly afterMs: number
}

interface LogParts {
  readonly watchers: Watchers
  /** The maximum age of a plain read, in milliseconds. */
  readonly readAgeMs: number
}

/** A fold is written when the changes after the last one are longer than it, but at least this long. */
const leastTail = 64_000
const chunkLength = 500_000
/** Others were first so often in a row that something must be wrong. */
const mostTries = 200
/** An alarm is set at most so far ahead; one that goes off early is set again. */
const mostAlarmMs = 365 * 86_400_000

/** A journal and its replica in this process. */
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
  /** The moment of the last doubt. Answers from before it are no longer valid. */
  #doubtedAt = -Infinity
  /** No fold is tried before the changes are so long, because the content was too long for one. */
  #unfoldedTail = 0
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

  /** Has the journal asked again before the next answer, even if it was asked just now. */
  doubt(): void {
    this.#doubtedAt = performance.now()
  }

  /** Forgets the changes of others up to now. */
  settle(): void {
    this.#isChanged = false
  }

  /**
   * Works in the replica until the result fits the journal and is stored there. `work` is repeated if others wrote
   * first. Throws, and stores nothing, if the journal is unreachable.
   */
  write<Result>(work: (store: Store) => Promise<Result>, rest?: Rest): Promise<Result> {
    const result = this.#turn.then(() => this.#write(work, rest))
    this.#turn = result.catch(() => undefined)
    return result
  }

  /** Closes the replica after the running work. */
  async close(): Promise<void> {
    await this.#turn
    this.#replica.close()
  }

  async #write<Result>(work: (store: Store) => Promise<Result>, rest: Rest | undefined): Promise<Result> {
    let isFolding = false
    for (let tries = 0; tries < mostTries; tries++) {
      const { result, offered, isKept, isRepeated, isFoldDue } = await this.#try(work, rest, isFolding)
      if (isKept) return result
      if (isFoldDue) {
        isFolding = true
        continue
      }
      const seen = await this.#catchUp(offered)
      if (seen === 'stored') return result
      if (seen === 'hidden' && isRepeated) throw unknown()
    }
    throw new StoreError('store_busy', `Others wrote to this object first, ${mostTries} times in a row. Try again.`)
  }

  /**
   * Works once, and offers the change. It is undone unless the journal is then as this replica is. A change is offered only
   * with a fold that is due, which has to be made before the work: what only reads makes none.
   */
  async #try<Result>(work: (store: Store) => Promise<Result>, rest: Rest | undefined, isFolding: boolean) {
    const fold = isFolding ? this.#dueFold() : undefined
    this.#replica.begin()
    let isKept = false
    try {
      const result = await work(this.#local.store)
      const change = this.#replica.changed()
      const isFoldDue = change !== undefined && !isFolding && this.#isFoldDue()
      if (isFoldDue) return { result, offered: undefined, isKept, isRepeated: false, isFoldDue }
      const text = change === undefined ? undefined : this.#textOf(change)
      const isRoom = fold !== undefined && lengthOf(fold) + (text ?? '').length <= this.#journal.mostLength
      const { hash } = this.#head
      const offered = text === undefined ? undefined : hashAfter(hash, text)
      const asked = performance.now()
      const isYoung = text === undefined && rest === undefined && this.#isYoung(asked)
      const { head, isRepeated } = isYoung
        ? { head: this.#head, isRepeated: false }
        : await this.#offer(text, isRoom ? fold : undefined, rest)
      isKept = head.hash === (offered ?? hash)
      if (isKept) this.#head = head
      if (isKept && !isYoung) this.#seenAt = asked
      return { result, offered, isKept, isRepeated, isFoldDue }
    } finally {
      if (isKept) this.#replica.keep()
      // The store knows which tables it has made.
      else if (this.#replica.undo()) this.#local = localStore(this.#replica, this.#clock, this.#watchers)
      else this.#local.forget()
    }
  }

  #isYoung(asked: number): boolean {
    return asked - this.#seenAt < this.#readAgeMs && this.#seenAt > this.#doubtedAt
  }

  async #offer(
    change: string | undefined,
    fold: readonly string[] | undefined,
    rest: Rest | undefined,
  ): Promise<Appended> {
    const { n, hash } = this.#head
    if (change === undefined && rest === undefined)
      return { head: (await this.#journal.read({ n, hash, skip: 0 })).head, isRepeated: false }
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
    // An engine counts whole milliseconds.
    return { at, inMs: Math.min(Math.ceil(at - now), mostAlarmMs) }
  }

  /** Returns true if the changes have outgrown the last fold. */
  #isFoldDue(): boolean {
    const { tail, fold } = this.#head
    return tail > Math.max(leastTail, fold?.length ?? 0, this.#unfoldedTail)
  }

  /** Returns the content in chunks if a fold is due, and not too long. */
  #dueFold(): readonly string[] | undefined {
    if (!this.#isFoldDue()) return undefined
    const whole = this.#replica.fold()
    const text = whole.rows.length > mostFoldBytes ? undefined : encodeChange(whole)
    if (text === undefined || text.length > this.#journal.mostLength) {
      this.#unfoldedTail = this.#head.tail * 2
      return undefined
    }
    const chunks = Math.ceil(text.length / chunkLength)
    return Array.from({ length: chunks }, (_, place) => text.slice(place * chunkLength, (place + 1) * chunkLength))
  }

  #textOf(change: Change): string {
    if (change.rows.length > mostBytes) throw tooLong(`${change.rows.length} bytes`, mostBytes)
    const text = encodeChange(change)
    const { mostLength } = this.#journal
    if (text.length > mostLength) throw tooLong(`${text.length} characters, compressed`, mostLength)
    return text
  }

  /** Updates the replica from the journal. Returns whether an offer of this replica was among the changes. */
  async #catchUp(offered: string | undefined): Promise<Seen> {
    const { n, hash } = this.#head
    return (await this.#readFrom({ n, hash }, offered)) ?? (await this.#readFrom(noHead, offered)) ?? damaged()
  }

  /** Returns undefined if the read changes do not belong to the place. */
  async #readFrom(place: Pick<Head, 'n' | 'hash'>, offered: string | undefined): Promise<Seen | undefined> {
    const { head, fold, changes } = await readBehind(this.#journal, place)
    const isWhole = fold !== undefined || head.n === changes.length
    const start = isWhole ? (head.fold?.hash ?? '') : place.hash
    const hashes = [start]
    for (const change of changes) hashes.push(hashAfter(hashes.at(-1) ?? '', change))
    if (hashes.at(-1) !== head.hash) return undefined
    if (isWhole) this.#reset()
    this.#apply([
      ...(fold === undefined ? [] : [decodeChange(fold, mostFoldBytes)]),
      ...changes.map((text) => decodeChange(text)),
    ])
    this.#head = head
    this.#isChanged = true
    this.#local.forget()
    this.#watchers.notifyAll()
    if (offered !== undefined && hashes.includes(offered)) return 'stored'
    return fold === undefined ? 'absent' : 'hidden'
  }

  /** Discards a replica that has only some of the changes; the journal is read as a whole next time. */
  #apply(changes: readonly Change[]): void {
    try {
      for (const change of changes) this.#replica.apply(change)
    } catch (error) {
      this.#reset()
      throw error
    }
  }

  #reset(): void {
    this.#replica.close()
    this.#replica = new Replica()
    this.#head = noHead
    this.#local = localStore(this.#replica, this.#clock, this.#watchers)
  }
}

/** An offer is in a journal or not, or it may be in the fold, which does not name its changes. */
type Seen = 'stored' | 'absent' | 'hidden'

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0)
}

function tooLong(length: string, most: number): EntryRefused {
  const text = `One write has ${length}, and an object accepts ${most}. Keep large results elsewhere, e.g. in a bucket, and store their address.`
  return new EntryRefused('store_unavailable', text)
}

function unknown(): StoreError {
  const text = 'An answer was lost, and others have written since. The change may be stored: read before you retry.'
  return new StoreError('store_unavailable', text)
}

function damaged(): never {
  throw new StoreError(
    'store_unavailable',
    'The journal of this object does not have the content that its head names. Nothing was changed: restore it from a copy.',
  )
}
