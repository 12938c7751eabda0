import type { CommitRefused } from '../../ports/store.ts'

/** Rolls back a transaction whose change of records was refused. */
export class RecordsRefused extends Error {
  /** The answers of the changes, up to the refusing one. */
  readonly answers: readonly unknown[]

  constructor(answers: readonly unknown[]) {
    super('A change of records refuses the write that it comes with. Nothing was written.')
    this.answers = answers
  }
}

/** Returns the refusal of a commit that this error rolled back; throws any other error. */
export function refusedByRecords(error: unknown): CommitRefused {
  if (error instanceof RecordsRefused) return { refused: 'record', answers: error.answers }
  throw error
}
