/** Functions to call after changes of runs, each in a microtask, so that none fails a writer. */
export interface Watchers {
  add(runId: string, changed: () => void): () => void
  /** Hears of changes of every run, and of those that make a run one to be driven. */
  addForAll(changed: () => void): () => void
  notify(runId: string): void
  /** Notifies the watchers of all runs that there may be work. */
  notifyOfWork(): void
  /** Returns the runs that somebody waits for, each once. */
  runIds(): readonly string[]
  /** Notifies all watchers of a change that may concern any run. */
  notifyAll(): void
  clear(): void
}

interface Watcher {
  /** The watched run; absent for all runs. */
  readonly runId?: string
  readonly changed: () => void
}

/**
 * Returns an empty set of watchers. `onSize` is called on every change of its size, with the number of watchers of all
 * runs.
 */
export function createWatchers(onSize: (size: number, sizeForAll: number) => void = () => undefined): Watchers {
  const watchers = new Set<Watcher>()
  let ofAll = 0

  function tell(watcher: Watcher): void {
    queueMicrotask(() => {
      if (watchers.has(watcher)) watcher.changed()
    })
  }

  function add(watcher: Watcher): () => void {
    count(watcher, 1)
    watchers.add(watcher)
    onSize(watchers.size, ofAll)
    return () => {
      if (!watchers.delete(watcher)) return
      count(watcher, -1)
      onSize(watchers.size, ofAll)
    }
  }

  function count({ runId }: Watcher, change: number): void {
    if (runId === undefined) ofAll += change
  }

  return {
    add: (runId, changed) => add({ runId, changed }),
    addForAll: (changed) => add({ changed }),
    notify(runId) {
      for (const watcher of watchers) if (watcher.runId === runId || watcher.runId === undefined) tell(watcher)
    },
    notifyOfWork() {
      for (const watcher of watchers) if (watcher.runId === undefined) tell(watcher)
    },
    runIds: () => [...new Set([...watchers].flatMap(({ runId }) => runId ?? []))],
    notifyAll() {
      for (const watcher of watchers) tell(watcher)
    },
    clear() {
      watchers.clear()
      ofAll = 0
      onSize(0, 0)
    },
  }
}
