import { currentOwner } from '../../../src/domain/owner.ts'
import { sqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts'
import { newRun } from '../../../src/testing/stores/store-suite-fixtures.ts'

const [path = '', runId = ''] = process.argv.slice(2)
const store = sqliteStore(path)
await store.create(newRun(runId), currentOwner('child'), 1000)
store.watch(runId, () => undefined)
