/** Changes that are known one by one; who looked before the oldest of them has to go through the whole list. */
const mostKnown = 32

/** How much of its beginning a list has kept since somebody looked, so that nobody need compare it item by item. */
export class KeptStarts {
  /** Raised by each change. */
  revision = 0
  #oldest = 0
  /** Each change is further on in the list than the one before; a change in front of earlier ones takes their place. */
  readonly #changes: { readonly revision: number; readonly from: number }[] = []

  /** The list has other items from a place on. */
  changed(from: number): void {
    const changes = this.#changes
    while ((changes.at(-1)?.from ?? -1) >= from) changes.pop()
    changes.push({ revision: ++this.revision, from })
    if (changes.length > mostKnown) this.#oldest = changes.shift()?.revision ?? 0
  }

  /** How many of the first items are the same as at a revision, at least. */
  keptSince(revision: number): number {
    if (revision < this.#oldest) return 0
    for (const change of this.#changes) if (change.revision > revision) return change.from
    return Infinity
  }
}
