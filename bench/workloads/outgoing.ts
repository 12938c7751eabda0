import { DatabaseSync } from 'node:sqlite'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { askingTime, openedOnce } from '../ask-store.ts'
import { copyRow } from '../copy-row.ts'
import type { Place, Workload } from '../workload.ts'
import { markSent, sendItems, takeItems } from '../../src/core/domain/outgoing.ts'
import { listOutgoing } from '../../src/core/driving/list-outgoing.ts'

const asked = 3
/** One row in so many is pending, the last ones. */
const pendingOf = 100

/** What a publisher takes of the events of one run, nearly all of which were sent; the row that it takes is due again at once. */
export const outgoing: Workload = {
  name: 'outgoing',
  unit: 'µs a look',
  floor:
    'a table (due, seq, body) of pending rows alone WITHOUT ROWID: one SELECT of the first, parsed, and one UPDATE of it.',
  rounds: 5,
  warmUp: { size: 200, times: 5 },
  variants: [
    {
      name: 'sent',
      sizes: [20_000],
      subjects: {
        floor: askingTime(openedOnce(bareRows), asked, () => 1),
        statewright: askingTime(openedOnce(storedRows), asked, () => 1),
      },
    },
  ],
}

async function storedRows(rows: number, place: Place) {
  const path = place.freshFile()
  const filling = sqliteStore(path)
  const owner = { id: 'bench', host: 'bench', pid: 1, pidStart: '' }
  const lease = await filling.create({ id: 'run', agent: 'bench', input: {}, at: 0 }, owner, 1000)
  const head = {
    runId: 'run',
    owner: owner.id,
    fence: lease.fence,
    expectedVersion: 0,
    at: 0,
    status: 'waiting',
  } as const
  const item = { id: 'first', kind: 'event', destination: 'bank', body: { data: 'paid' } }
  await filling.commit({
    ...head,
    append: [],
    calls: [],
    document: '{}',
    consumed: [],
    records: [sendItems('run', [item], 0)],
  })
  const [first] = await listOutgoing(filling)
  if (first === undefined) throw new Error('Nothing is to leave.')
  await filling.change(markSent(first.key))
  await filling.close()
  const isSent = `n <= ${rows - rows / pendingOf}`
  copyRow(path, {
    table: 'record_outgoing',
    count: rows,
    changes: {
      key: "'event ' || n",
      state: `iif(${isSent}, 'sent', 'pending')`,
      due: `iif(${isSent}, 0, 1)`,
      lane: `iif(${isSent}, '', '${JSON.stringify(['run', item.kind, item.destination])}')`,
      body: `iif(${isSent}, body, json_set(body, '$.state', 'pending', '$.due', 1, '$.id', 'event ' || n))`,
    },
  })
  const store = sqliteStore(path, { synchronous: 'normal' })
  return () => store.change(takeItems({ kinds: ['event'], now: 10, limit: 100, holdMs: 0 }))
}

async function bareRows(rows: number, place: Place) {
  const database = new DatabaseSync(place.freshFile())
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = normal; BEGIN;
    CREATE TABLE pending (due INTEGER NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (due, seq)) WITHOUT ROWID`)
  const insert = database.prepare('INSERT INTO pending VALUES (?, ?, ?)')
  for (let seq = rows - rows / pendingOf; seq < rows; seq++) insert.run(1, seq, JSON.stringify({ data: 'paid' }))
  database.exec('COMMIT')
  const select = database.prepare('SELECT * FROM pending WHERE due <= ? ORDER BY due, seq LIMIT 1')
  const take = database.prepare('UPDATE pending SET body = ? WHERE due = ? AND seq = ?')
  return () =>
    select.all(10).map(({ due = null, seq = null, body = null }): unknown => {
      take.run(body, due, seq)
      return JSON.parse(String(body))
    })
}
