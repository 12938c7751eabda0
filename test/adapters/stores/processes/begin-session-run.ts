import { currentOwner } from '../../../../src/core/domain/owner.ts'
import { StoreError } from '../../../../src/core/domain/store-error.ts'
import { sqliteStore } from '../../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { newRun } from '../../../../src/testing/stores/store-suite-fixtures.ts'
import { inSession, sessionState } from '../../../../src/testing/stores/store-suite-sessions.ts'

/** Begins a run of a session whose version was read before; ends with 3 where another has changed the session. */
const [path = '', runId = '', version = ''] = process.argv.slice(2)
const store = sqliteStore(path)
const session = inSession(sessionState('shared', { lastRun: runId }), Number(version))
try {
  await store.create(newRun(runId, session), currentOwner('child'), 1000)
} catch (error) {
  if (!(error instanceof StoreError) || error.code !== 'session_conflict') throw error
  process.exitCode = 3
}
