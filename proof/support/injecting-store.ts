import type { Commit, Store } from '../../src/core/ports/store.ts'

/** A store in which something happens once, where its driver cannot know of it. */
export interface InjectingStore {
  readonly store: Store
  /** False where the driver never got that far. */
  readonly hasActed: () => boolean
}

/** When it happens, and who is told what was committed. */
export interface Injection {
  /** Counts the moments in which a driver has read the inbox, and those in which it is about to commit, from 0. */
  readonly at: number
  readonly act: () => Promise<unknown>
  readonly committed?: (commit: Commit) => void
}

/**
 * Acts between a read of the inbox and the commit that follows it. The driver is told of no news before that commit was
 * made or refused.
 */
export function injectingStore(inner: Store, { at, act, committed }: Injection): InjectingStore {
  let moments = 0
  let isSilent = false
  const untold = new Set<() => void>()
  const pass = async () => {
    if (moments++ !== at) return
    isSilent = true
    await act()
  }
  const tell = () => {
    isSilent = false
    for (const changed of untold) changed()
    untold.clear()
  }
  const store: Store = {
    ...inner,
    watch: (runId, changed) => inner.watch(runId, () => void (isSilent ? untold.add(changed) : changed())),
    async inbox(...asked) {
      const rows = await inner.inbox(...asked)
      if (asked[1]?.isOpen === true) await pass()
      return rows
    },
    async commit(commit) {
      await pass()
      try {
        const receipt = await inner.commit(commit)
        if (!('refused' in receipt)) committed?.(commit)
        return receipt
      } finally {
        if (moments > at) tell()
      }
    },
  }
  return { store, hasActed: () => moments > at }
}
