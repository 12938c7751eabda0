import type { RunRecord } from '../../src/core/domain/run-record.ts'

/** A run with something to do that stood still; times are of the steady clock. */
export interface Stall {
  readonly runId: string
  readonly version: number
  readonly from: number
  readonly until: number
}

/** The longest time that a run with something to do has stood still. */
export class StallWatch {
  readonly #moved = new Map<string, { readonly version: number; readonly at: number }>()
  longest: Stall | undefined

  get longestMs(): number {
    return this.longest === undefined ? 0 : this.longest.until - this.longest.from
  }

  /** A run that is to be driven, as it stands now; the time that it has to wait for begins when it is first seen. */
  see({ id, version }: Pick<RunRecord, 'id' | 'version'>, now: number): void {
    const before = this.#moved.get(id)
    if (before?.version !== version) this.#moved.set(id, { version, at: now })
    else if (now - before.at > this.longestMs) this.longest = { runId: id, version, from: before.at, until: now }
  }

  /** True where a run with something to do has not moved since this moment. */
  isStillSince(moment: number): boolean {
    return [...this.#moved.values()].some(({ at }) => at < moment)
  }

  /** Only these runs are not done. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#moved.keys()) if (!ids.has(id)) this.#moved.delete(id)
  }

  /** The run waits for a person. */
  rests(id: string): void {
    this.#moved.delete(id)
  }
}
