import { createHash } from 'node:crypto'
import { StoreError } from '../../../core/domain/store-error.ts'

/** The first row of a journal: its length, and the hash of its content. */
export interface Head {
  /** The number of changes. */
  readonly n: number
  /** The hash over all changes in order; empty without changes. Equal hashes mean equal contents. */
  readonly hash: string
  /** The whole content as of change `n`, in chunks, which replaces the changes before. */
  readonly fold?: { readonly n: number; readonly hash: string; readonly chunks: number; readonly length: number }
  /** The length of all changes after the fold. */
  readonly tail: number
  /** Unix milliseconds of the one alarm that is set, or that has gone off and is being worked on. */
  readonly alarm?: number
}

/** The time of the next work, in Unix milliseconds and as a delay from now. */
export interface Wake {
  readonly at: number
  readonly inMs: number
}

/** A writer's changes. They are stored only if the journal has the expected hash. */
export interface Entry {
  readonly expect: string
  readonly change?: string
  /** The whole content as of `expect`, in chunks. */
  readonly fold?: readonly string[]
  readonly wake?: Wake
  /** The alarm that a driver has finished its work for. */
  readonly woken?: number
}

/** The position that a reader knows, and the number of later texts that it has. */
export interface Known {
  readonly n: number
  readonly hash: string
  readonly skip: number
}

/** The changes after a place. */
export interface Behind {
  readonly head: Head
  /** True if the texts begin with the chunks of the fold, because the place is before it or unknown. */
  readonly isWhole: boolean
  readonly texts: readonly string[]
  /** The number of texts that did not fit. */
  readonly left: number
}

/** An ordered list of changes in another system. Each method is one atomic step there. */
export interface Journal {
  /** The keeper takes at most so many characters of changes and chunks in one entry. */
  readonly mostLength: number
  read(known: Known): Promise<Behind>
  /** Throws `EntryRefused` only if the entry is not stored and will not be; after any other error, it may be stored. */
  append(entry: Entry): Promise<Appended>
}

/** The answer to an entry. */
export interface Appended {
  /** The head after the entry, or the present one if the entry did not fit. */
  readonly head: Head
  /** True if the entry was sent before without an answer: an earlier request may have stored it. */
  readonly isRepeated: boolean
}

/** Thrown for an entry that the keeper does not accept, for example because it is too long. */
export class EntryRefused extends StoreError {}

export const noHead: Head = { n: 0, hash: '', tail: 0 }

/** Milliseconds after which a fired alarm counts as lost, because its process is gone. */
const lostAlarmMs = 1_800_000

/** Returns the hash of a journal after a change. */
export function hashAfter(hash: string, change: string): string {
  return createHash('sha256').update(hash).update('\n').update(change).digest('base64url')
}

const changeKey = (n: number): string => `change/${n}`
const chunkKey = (n: number, chunk: number): string => `fold/${n}/${chunk}`

/** The keeper's answer to an entry: the new head, the texts to store or remove by their keys, and the alarm to set. */
export interface Judged {
  readonly head: Head
  readonly writes: readonly (readonly [key: string, text: string | undefined])[]
  readonly wake?: Wake
}

/** Judges an entry. It is pure, because an engine may judge an entry again. */
export function judgeEntry(head: Head, { expect, change, fold, wake, woken }: Entry): Judged {
  if (expect !== head.hash) return { head, writes: [] }
  const { alarm: set, ...before } = head
  const { after, writes } = fold === undefined ? { after: before, writes: [] } : folded(before, fold)
  const grown = change === undefined ? after : grownBy(after, change)
  const alarm = woken !== undefined && set === woken ? undefined : set
  const isSooner = wake !== undefined && (alarm === undefined || wake.at < alarm || wake.at > alarm + lostAlarmMs)
  const next = isSooner ? wake.at : alarm
  return {
    head: next === undefined ? grown : { ...grown, alarm: next },
    writes: change === undefined ? writes : [...writes, [changeKey(grown.n), change]],
    ...(isSooner ? { wake } : {}),
  }
}

function grownBy(head: Head, change: string): Head {
  return { ...head, n: head.n + 1, hash: hashAfter(head.hash, change), tail: head.tail + change.length }
}

function folded(head: Head, chunks: readonly string[]): { readonly after: Head; readonly writes: Judged['writes'] } {
  const { n, hash, fold } = head
  const gone = [
    ...Array.from({ length: fold?.chunks ?? 0 }, (_, chunk) => chunkKey(fold?.n ?? 0, chunk)),
    ...Array.from({ length: n - (fold?.n ?? 0) }, (_, place) => changeKey((fold?.n ?? 0) + place + 1)),
  ]
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  return {
    after: { ...head, fold: { n, hash, chunks: chunks.length, length }, tail: 0 },
    writes: [
      ...gone.map((key) => [key, undefined] as const),
      ...chunks.map((chunk, place) => [chunkKey(n, place), chunk] as const),
    ],
  }
}

/** Returns the keys of the texts after a position, in order. */
export function keysBehind({ n, hash, fold }: Head, known: Known): Pick<Behind, 'isWhole'> & { keys: string[] } {
  if (known.hash === hash && known.n === n) return { isWhole: false, keys: [] }
  const isWhole = known.n === 0 || known.n >= n || known.n < (fold?.n ?? 0)
  const from = isWhole ? (fold?.n ?? 0) : known.n
  const chunks = isWhole ? Array.from({ length: fold?.chunks ?? 0 }, (_, chunk) => chunkKey(from, chunk)) : []
  const changes = Array.from({ length: n - from }, (_, place) => changeKey(from + place + 1))
  return { isWhole, keys: [...chunks, ...changes].slice(known.skip) }
}
