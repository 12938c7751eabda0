import type { Lease } from '../ports/store.ts'

/** Gives out the effect keys of one drive: they carry run and fence, so that no two drives ever give out the same. */
export class EffectKeys {
  readonly #lease: Lease
  #count = 0

  constructor(lease: Lease) {
    this.#lease = lease
  }

  /** A fresh key; a restored one stays, unless it belongs to the run this one was forked from. */
  keyFor(restored: string | undefined): string {
    const { runId, fence } = this.#lease
    if (restored?.startsWith(`${runId}/`) === true) return restored
    return `${runId}/${fence}.${++this.#count}`
  }
}
