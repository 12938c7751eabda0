import type { Json } from '../domain/text/json.ts'

/** A query of a memory. */
export interface MemoryQuery {
  /** The owner of the memories; memories of other users must not be returned. */
  readonly userId: string
  /** The user's current input. */
  readonly input: string
  /** The session of the run. */
  readonly session?: string
}

/** An item to remember. */
export interface MemoryItem {
  readonly userId: string
  /** `interaction` for a tool's value, `answer` for a final answer, `limit` for a reached limit; or your own kind. */
  readonly kind: string
  readonly data: Json
  /** The item's key: a memory keeps one row per user and key, even if it is added again. */
  readonly key: string
  /** Unix milliseconds. */
  readonly at: number
  readonly session?: string
}

/** A remembered item. */
export type FoundMemory = Omit<MemoryItem, 'userId'>

/** Returns the vector of each text from the caller's model; similar texts have near vectors. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[] | Float32Array)[]>

/**
 * A memory that outlives the runs and sessions of a user (requirement CTX-04). A failed method rejects; the run reports
 * the failure and continues.
 */
export interface Memory {
  /** Returns memories that may matter for the input, nearest first. */
  query(query: MemoryQuery): Promise<readonly FoundMemory[]>
  /** Stores an item; it replaces an item with the same user and key. */
  add(item: MemoryItem): Promise<void>
  /**
   * Deletes all memories of a user, so that none can be read any more; returns their number. A call that rejects, or
   * whose process dies, may have deleted a part: call it again.
   */
  forget(userId: string): Promise<number>
}
