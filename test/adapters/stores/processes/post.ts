import { sqliteStore } from '../../../../src/adapters/stores/sqlite/sqlite-store.ts'

const [path = '', runId = '', text = ''] = process.argv.slice(2)
await sqliteStore(path).post(runId, { kind: 'steer', text }, Date.now())
