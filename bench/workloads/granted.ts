import { DatabaseSync } from 'node:sqlite'
import { waitingAgent, waitingCall } from '../../proof/support/waiting-runs.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { listGrants } from '../../src/core/driving/list-grants.ts'
import { askingTime, openedOnce } from '../ask-store.ts'
import { copyRow } from '../copy-row.ts'
import type { Place, Workload } from '../workload.ts'

const asked = 20

/** The grants that count for one call, with so many grants of other users for the same tool. */
export const granted: Workload = {
  name: 'granted',
  unit: 'µs a call',
  floor: 'a table (agent, tool, grantee, body) WITHOUT ROWID with the same grants, and one SELECT by its key, parsed.',
  rounds: 9,
  warmUp: { size: 200, times: 5 },
  variants: [
    {
      name: 'others',
      sizes: [100_000],
      subjects: {
        floor: askingTime(openedOnce(bareGrants), asked, () => 1),
        statewright: askingTime(openedOnce(storedGrants), asked, () => 1),
      },
    },
  ],
}

async function storedGrants(others: number, place: Place) {
  const path = place.freshFile()
  const filling = sqliteStore(path)
  const run = waitingAgent(filling).start('Sign.', { runId: 'first', userId: 'ann' })
  await run.settled()
  await run.approve(undefined, { scope: 'always' })
  await run.settled()
  await filling.close()
  copyRow(path, {
    table: 'record_grant',
    count: others,
    changes: { key: "'grant ' || n", grantee: "'user:' || n" },
  })
  const store = sqliteStore(path, { synchronous: 'normal' })
  const grantees = ['user:ann', 'run:second']
  return () =>
    listGrants(store, { agent: 'clerk', toolName: 'sign', grantees, forCall: { runId: 'second', callId: waitingCall } })
}

async function bareGrants(others: number, place: Place) {
  const database = new DatabaseSync(place.freshFile())
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = normal; BEGIN; CREATE TABLE grants (
    agent TEXT NOT NULL, tool TEXT NOT NULL, grantee TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (agent, tool, grantee)) WITHOUT ROWID`)
  const insert = database.prepare('INSERT INTO grants VALUES (?, ?, ?, ?)')
  const body = JSON.stringify({ scope: 'always', says: 'allow', definition: 'hash', callId: waitingCall })
  insert.run('clerk', 'sign', 'user:ann', body)
  for (let other = 1; other <= others; other++) insert.run('clerk', 'sign', `user:${other}`, body)
  database.exec('COMMIT')
  const select = database.prepare(`SELECT body FROM grants WHERE agent = ? AND tool = ? AND grantee IN (?, ?)`)
  return () =>
    select.all('clerk', 'sign', 'user:ann', 'run:second').map((row): unknown => JSON.parse(String(row['body'])))
}
