import { join } from 'node:path'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { randomFrom } from '../support/random.ts'
import { FencedJournal } from './fenced-journal.ts'
import { pause, soakAgents } from './soak-agents.ts'

const [folder = '', seed = '0'] = process.argv.slice(2)
const random = randomFrom(Number(seed))
const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
const [agent] = soakAgents({ store, journal: new FencedJournal(folder), random })

console.log('ready')
for (;;) {
  for (const record of await store.list({ status: 'waiting' })) await decide(record.id)
  await pause(10)
}

/** Answers what waits for a person: mostly yes, sometimes no, sometimes twice. */
async function decide(runId: string): Promise<void> {
  const run = await agent?.load(runId)
  if (run === undefined) return
  const { suspended } = await run.result()
  for (const { suspension } of suspended) {
    if (suspension?.reason !== 'approval') continue
    const target = suspension.id
    if (random() < 0.3) await run.deny(target, { reason: 'No.' })
    else await run.approve(target)
    if (random() < 0.2) await run.approve(target)
  }
}
