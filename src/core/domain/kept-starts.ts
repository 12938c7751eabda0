/** The number of remembered changes; a reader with an older revision must compare the whole list. */
const mostKnown = 32

/** Tracks the unchanged beginning of a list since a revision, so that readers need not compare it item by item. */
export class KeptStarts {
  /** The number of changes so far. */
  revision = 0
  #oldest = 0
  /** Changes at rising positions; a change replaces earlier ones with later positions. */
  readonly #changes: { readonly revision: number; readonly from: number }[] = []

  /** Records that the list has changed from a position on. */
  changed(from: number): void {
    const changes = this.#changes
    while ((changes.at(-1)?.from ?? -1) >= from) changes.pop()
    changes.push({ revision: ++this.revision, from })
    if (changes.length > mostKnown) this.#oldest = changes.shift()?.revision ?? 0
  }

  /** Returns a lower bound for the number of first items that are unchanged since a revision. */
  keptSince(revision: number): number {
    if (revision < this.#oldest) return 0
    for (const change of this.#changes) if (change.revision > revision) return change.from
    return Infinity
  }
}
