/** Who waits for changes of which run; each is called in a microtask, so that one that throws fails no writer. */
export interface Watchers {
  add(runId: string, changed: () => void): () => void
  notify(runId: string): void
  /** Tells everybody, for a change that may be of any run. */
  notifyAll(): void
  clear(): void
}

interface Watcher {
  readonly runId: string
  readonly changed: () => void
}

/** An empty set of watchers; `onSize` hears of every change of its size. */
export function createWatchers(onSize: (size: number) => void = () => undefined): Watchers {
  const watchers = new Set<Watcher>()

  function tell(watcher: Watcher): void {
    queueMicrotask(() => {
      if (watchers.has(watcher)) watcher.changed()
    })
  }

  return {
    add(runId, changed) {
      const watcher = { runId, changed }
      watchers.add(watcher)
      onSize(watchers.size)
      return () => {
        if (watchers.delete(watcher)) onSize(watchers.size)
      }
    },
    notify(runId) {
      for (const watcher of watchers) if (watcher.runId === runId) tell(watcher)
    },
    notifyAll() {
      for (const watcher of watchers) tell(watcher)
    },
    clear() {
      watchers.clear()
      onSize(0)
    },
  }
}
