/** What a worker says of itself, every few seconds. */
export interface WorkerBeat {
  readonly id: string
  readonly host: string
  readonly pid: number
  /** Names of the agents whose runs it drives. */
  readonly agents: readonly string[]
  /** How many runs it drives at once, at most. */
  readonly concurrency: number
  /** How many runs it drives now. */
  readonly driving: number
  /** Unix milliseconds by the worker's clock. */
  readonly startedAt: number
}

/** A worker as a store knows it. */
export interface WorkerRecord extends WorkerBeat {
  /** Milliseconds since it last said that it is there, by the store's clock. */
  readonly silentMs: number
}
