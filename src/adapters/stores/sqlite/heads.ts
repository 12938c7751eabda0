import type { CommitHead } from '../../../core/stores/rows/encode-commit.ts'
import type { Session } from './session.ts'

/** The facts about a run that a commit needs, and the place of the run's rows. */
export interface RunHead extends CommitHead {
  readonly number: number
  /** The `id` of row 0 of its transcript in the log. */
  readonly base: number
  /** The `seq` of its first entry. */
  readonly first: number
}

/** The heads of runs after this connection's commits, until another connection writes (`data_version`). */
export class RunHeads {
  readonly #session: Session
  readonly #heads = new Map<string, RunHead>()
  #dataVersion: unknown
  #isFresh = false

  constructor(session: Session) {
    this.#session = session
  }

  /** Called first in a transaction that may use the heads. */
  expire(): void {
    this.#isFresh = false
  }

  /** Looks once a transaction whether another connection has written. */
  #refresh(): void {
    if (this.#isFresh) return
    this.#isFresh = true
    const version = this.#session.sql('PRAGMA data_version').get()?.['data_version']
    if (version !== this.#dataVersion) this.#heads.clear()
    this.#dataVersion = version
  }

  of(runId: string): RunHead | undefined {
    this.#refresh()
    return this.#heads.get(runId)
  }

  keep(runId: string, head: RunHead): void {
    this.#refresh()
    this.#heads.set(runId, head)
  }

  /** The run was, or may have been, changed by something other than a commit that is kept. */
  forget(runId: string): void {
    this.#heads.delete(runId)
  }

  forgetAll(): void {
    this.#heads.clear()
  }
}
