/** Who waits for changes of which run. */
export interface Watchers {
  readonly size: number
  add(runId: string, changed: () => void): () => void
  /** Calls the watchers of a run in a microtask, so that one that throws does not fail the writer. */
  notify(runId: string): void
  clear(): void
}

/** An empty set of watchers; `onSize` hears of every change of its size. */
export function createWatchers(onSize: (size: number) => void = () => undefined): Watchers {
  const watchers = new Set<{ readonly runId: string; readonly changed: () => void }>()
  return {
    get size() {
      return watchers.size
    },
    add(runId, changed) {
      const watcher = { runId, changed }
      watchers.add(watcher)
      onSize(watchers.size)
      return () => {
        if (watchers.delete(watcher)) onSize(watchers.size)
      }
    },
    notify(runId) {
      for (const watcher of watchers) {
        if (watcher.runId !== runId) continue
        queueMicrotask(() => {
          if (watchers.has(watcher)) watcher.changed()
        })
      }
    },
    clear() {
      watchers.clear()
      onSize(0)
    },
  }
}
