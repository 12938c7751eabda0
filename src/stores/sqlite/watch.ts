import type { Session } from './session.ts'
import { createWatchers, type Watchers } from '../rows/watchers.ts'

const selectLast = 'SELECT max(id) AS last FROM inbox'
const selectNew = 'SELECT run_id, max(id) AS last FROM inbox WHERE id > ? GROUP BY run_id'

/** Watchers that also hear of rows other connections post: while there are any, the store is polled for changes. */
export function createPollingWatchers(session: Session, pollMs: number): Watchers {
  let timer: NodeJS.Timeout | undefined
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
    } catch {
      // Nobody waits for a timer: let the watchers read, and meet the error where they can report it.
      watchers.notifyAll()
    }
  }

  const watchers = createWatchers((size) => {
    if (size === 0) {
      clearInterval(timer)
      timer = undefined
    } else if (timer === undefined) {
      seenVersion = dataVersion()
      seenId = Number(session.sql(selectLast).get()?.['last'] ?? 0)
      timer = setInterval(poll, pollMs).unref()
    }
  })
  return watchers
}
