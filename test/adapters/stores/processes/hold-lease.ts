import { currentOwner } from '../../../../src/core/domain/owner.ts'
import { sqliteStore } from '../../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { newRun } from '../../../../src/testing/stores/store-suite-fixtures.ts'

const [path = '', runId = ''] = process.argv.slice(2)
await sqliteStore(path).create(newRun(runId, { at: Date.now() }), currentOwner('child'), 3_600_000)
process.stdout.write('held\n')
process.stdin.resume()
