import { StoreError } from '../../../core/domain/store-error.ts'
import type { Behind, Head, Journal } from './journal.ts'

/** Everything after a position of a journal. */
export interface Read {
  readonly head: Head
  /** The text of the fold, if the journal was read from its beginning and has one. */
  readonly fold?: string
  readonly changes: readonly string[]
}

/** A journal that is folded while it is read is read again, so often. */
const mostTries = 10

/** Reads a journal after a position, or the whole journal if it no longer has that position. */
export async function readBehind(
  journal: Journal,
  place: { readonly n: number; readonly hash: string },
): Promise<Read> {
  for (let tries = 0; tries < mostTries; tries++) {
    const first = await journal.read({ ...place, skip: 0 })
    const texts = await restOf(journal, place, first)
    if (texts === undefined) continue
    const { head, isWhole } = first
    const chunks = isWhole ? (head.fold?.chunks ?? 0) : 0
    const changes = texts.slice(chunks)
    return chunks === 0 ? { head, changes } : { head, changes, fold: texts.slice(0, chunks).join('') }
  }
  throw new StoreError(
    'store_unavailable',
    'The journal of this object lacks a text that its head names. Nothing was changed: restore it from a copy.',
  )
}

/** Returns all texts up to the head of the first page, or undefined if the journal was folded meanwhile. */
async function restOf(
  journal: Journal,
  place: { readonly n: number; readonly hash: string },
  first: Behind,
): Promise<readonly string[] | undefined> {
  const wanted = first.texts.length + first.left
  const texts = [...first.texts]
  while (texts.length < wanted) {
    const { head, isWhole, texts: more } = await journal.read({ ...place, skip: texts.length })
    const isSame = head.fold?.n === first.head.fold?.n && isWhole === first.isWhole
    if (!isSame || more.length === 0) return undefined
    texts.push(...more)
  }
  return texts.slice(0, wanted)
}
