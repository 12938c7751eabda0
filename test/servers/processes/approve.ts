import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'

/** Stores a yes for the one call of a run that waits, as a process that drives nothing. */
const [, , path = '', runId = ''] = process.argv
const store = sqliteStore(path)
const agent = createAgent({ name: 'mailer', model: scripted([]), store })
process.stdout.write((await (await agent.load(runId)).approve()).answer)
await agent.close()
await store.close()
