import { currentOwner } from '../../../../src/core/domain/owner.ts'
import { sqliteStore } from '../../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { newRun } from '../../../../src/testing/stores/store-suite-fixtures.ts'

const [path = '', runId = ''] = process.argv.slice(2)
const store = sqliteStore(path)
await store.create(newRun(runId), currentOwner('child'), 1000)
store.watch(runId, () => undefined)
