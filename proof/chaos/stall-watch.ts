import type { RunRecord } from '../../src/domain/run-record.ts'

/** The longest time that a run with something to do has stood still. */
export class StallWatch {
  readonly #moved = new Map<string, { readonly version: number; readonly at: number }>()
  longestMs = 0

  /** A run that is to be driven, as it stands now; the time that it has to wait for begins when it is first seen. */
  see({ id, version }: Pick<RunRecord, 'id' | 'version'>, now: number): void {
    const before = this.#moved.get(id)
    if (before?.version === version) this.longestMs = Math.max(this.longestMs, now - before.at)
    else this.#moved.set(id, { version, at: now })
  }

  /** The run waits for a person, or is done. */
  rests(id: string): void {
    this.#moved.delete(id)
  }
}
