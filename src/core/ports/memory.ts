import type { Json } from '../domain/text/json.ts'

/** What a memory is asked for. */
export interface MemoryQuery {
  /** Whose memories: no other's may come back. */
  readonly userId: string
  /** What the user says now. */
  readonly input: string
  /** The session that the run belongs to. */
  readonly session?: string
}

/** Something to remember. */
export interface MemoryItem {
  readonly userId: string
  /** `interaction` for what a tool gave, `answer` for a final answer, `limit` for a limit that was reached; or a word of yours. */
  readonly kind: string
  readonly data: Json
  /** Names it: a memory keeps one row a user and key, however often it is added. */
  readonly key: string
  /** Unix milliseconds. */
  readonly at: number
  readonly session?: string
}

/** Something remembered. */
export interface FoundMemory {
  readonly kind: string
  readonly data: Json
  readonly key: string
  /** Unix milliseconds. */
  readonly at: number
  readonly session?: string
}

/** Gives the vector of each text, by a model of the caller's; near vectors mean near texts. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[] | Float32Array)[]>

/**
 * What outlives the runs and sessions of a user (requirement CTX-04). A method that cannot do what is asked rejects; the run
 * tells it and goes on.
 */
export interface Memory {
  /** What may matter to the input, the nearest first. */
  query(query: MemoryQuery): Promise<readonly FoundMemory[]>
  /** Keeps something; what has the same user and key takes the place of what was there. */
  add(item: MemoryItem): Promise<void>
  /**
   * Removes all that is kept of a user, so that nothing of it can be read any more; gives how many memories that were. A call
   * that rejects, or whose process dies, may have removed a part: call it again.
   */
  forget(userId: string): Promise<number>
}
