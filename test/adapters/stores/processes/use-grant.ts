import { once } from 'node:events'
import { useGrant } from '../../../../src/core/domain/granted.ts'
import { sqliteStore } from '../../../../src/adapters/stores/sqlite/sqlite-store.ts'

/** Opens the store of a path, and has a call of a run use the grant `g` as soon as it is told to. */
const [path = '', runId = ''] = process.argv.slice(2)
const store = sqliteStore(path)
process.send?.('ready')
await once(process, 'message')
const entry = { action: 'used', runId, callId: 'call-1', toolName: 'weather', grantId: 'g' } as const
process.send?.(await store.change(useGrant('g', entry, 0)))
await store.close()
process.disconnect()
