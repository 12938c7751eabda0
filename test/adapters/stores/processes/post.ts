import { sqliteStore } from '../../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { userMessage } from '../../../../src/core/domain/message.ts'

const [path = '', runId = '', text = ''] = process.argv.slice(2)
await sqliteStore(path).post(runId, { kind: 'steer', messages: [userMessage(text, 1)] }, Date.now())
