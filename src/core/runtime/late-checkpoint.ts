import type { CallRecord } from '../domain/call.ts'
import type { LogEntry } from '../domain/log.ts'
import { encodeCheckpoint } from './document.ts'
import { type Captured, persistCaptured } from './persist.ts'

type CheckpointEntry = Extract<LogEntry, { readonly kind: 'checkpoint' }>

/** The parts of a document. */
interface Encoding {
  readonly root: Captured
  readonly nextSeq: number
  readonly open: readonly CallRecord[]
}

/**
 * A checkpoint whose document is made when it is first read, and that holds on to nothing but its text from then on: a store
 * that keeps its rows in memory makes no text of a state that nobody reads.
 */
export class LateCheckpoint implements CheckpointEntry {
  readonly kind = 'checkpoint'
  readonly seq: number
  readonly names: CheckpointEntry['names']
  readonly at: number
  declare readonly document: string
  #encoding: Encoding | undefined
  #text = ''

  constructor(
    { seq, names, at }: Omit<CheckpointEntry, 'kind' | 'document'>,
    root: Captured,
    nextSeq: number,
    open: readonly CallRecord[],
  ) {
    this.seq = seq
    // A list that has grown keeps room for more; the store takes one that is frozen as it is.
    this.names = Object.freeze([...names])
    this.at = at
    this.#encoding = { root, nextSeq, open: [...open] }
    Object.defineProperty(this, 'document', lateDocument)
  }

  encoded(): string {
    if (this.#encoding !== undefined) {
      const { root, nextSeq, open } = this.#encoding
      this.#text = encodeCheckpoint(persistCaptured(root), nextSeq, open)
      this.#encoding = undefined
    }
    return this.#text
  }
}

/**
 * One for all checkpoints, because V8 keeps an object with its own accessor as a slow table. It is one of each
 * checkpoint's own fields, so that a copy holds the text.
 */
const lateDocument: PropertyDescriptor & ThisType<LateCheckpoint> = {
  enumerable: true,
  get() {
    return this.encoded()
  },
}
