import type { Session } from './session.ts'
import { createWatchers, type Watchers } from '../../../core/stores/rows/watchers.ts'

const selectLast = 'SELECT max(id) AS last FROM inbox'
const selectNew = 'SELECT run_id, max(id) AS last FROM inbox WHERE id > ? GROUP BY run_id'

/** The maximum milliseconds after which a worker notices the writes of other processes. */
const workPollMs = 40

/**
 * Creates watchers that poll for changes of other connections, and poll more often while somebody watches the whole
 * store.
 */
export function createPollingWatchers(session: Session, pollMs: number): Watchers {
  let timer: NodeJS.Timeout | undefined
  let everyMs = 0
  let seenVersion: unknown
  let seenId = 0

  function dataVersion(): unknown {
    return session.sql('PRAGMA data_version').get()?.['data_version']
  }

  function poll(): void {
    try {
      const version = dataVersion()
      if (version === seenVersion) return
      seenVersion = version
      for (const { run_id: runId, last } of session.sql(selectNew).all(seenId)) {
        seenId = Math.max(seenId, Number(last))
        watchers.notify(String(runId))
      }
      watchers.notifyOfWork()
    } catch {
      // Nothing waits for a timer, so let the watchers read: they can report the error.
      watchers.notifyAll()
    }
  }

  function pollEvery(ms: number): void {
    if (ms === everyMs) return
    if (everyMs === 0) {
      seenVersion = dataVersion()
      seenId = Number(session.sql(selectLast).get()?.['last'] ?? 0)
    }
    clearInterval(timer)
    everyMs = ms
    timer = ms === 0 ? undefined : setInterval(poll, ms).unref()
  }

  const watchers = createWatchers((size, sizeForAll) => {
    pollEvery(size === 0 ? 0 : sizeForAll === 0 ? pollMs : Math.min(pollMs, workPollMs))
  })
  return watchers
}
