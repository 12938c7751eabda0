import { setImmediate } from 'node:timers/promises'
import { currentOwner } from '../../../../src/core/domain/owner.ts'
import { sqliteStore } from '../../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { checkpoint, driverOf, newRun, says, ttl } from '../../../../src/testing/stores/store-suite-fixtures.ts'

const [path = '', runId = ''] = process.argv.slice(2)
const store = sqliteStore(path)
const lease = await store.create(newRun(runId, { at: Date.now() }), currentOwner('child'), ttl * 1000)
const driver = driverOf(store, lease)

/** Commits until it is killed, and tells of each commit once it was acknowledged. */
for (;;) {
  const entries = [says(`message of version ${driver.version + 1}`)]
  const withCheckpoint = [...entries, checkpoint(`{"version":${driver.version + 1}}`)]
  await driver.commit({ entries: driver.version % 3 === 0 ? entries : withCheckpoint })
  process.stdout.write(`${driver.version}\n`)
  await setImmediate()
}
