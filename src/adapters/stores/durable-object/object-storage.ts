/** The SQL of a Durable Object, `ctx.storage.sql`. */
export interface ObjectSql {
  exec(statement: string, ...values: readonly unknown[]): { toArray(): Record<string, unknown>[] }
}

/** The parts of a Durable Object's storage, `ctx.storage`, that a host uses. */
export interface ObjectStorage {
  readonly sql: ObjectSql
  /** Undoes what `work` has written if it throws. Nests. */
  transactionSync<Result>(work: () => Result): Result
  /** `at` is in Unix milliseconds. An object has one alarm. */
  setAlarm(at: number): Promise<void>
  deleteAlarm(): Promise<void>
}
