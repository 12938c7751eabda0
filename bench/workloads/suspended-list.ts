import { DatabaseSync } from 'node:sqlite'
import { hasPostgres } from '../../proof/support/postgres-server.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { answerAt, promptOf, signingAgent } from '../agent-resume.ts'
import { askingTime, type OpenAsking, openedOnce } from '../ask-store.ts'
import { waitingPlace } from '../waiting-places.ts'
import type { Place, Variant, Workload } from '../workload.ts'

const listed = 100
const messagesEach = 1_000
const stores = hasPostgres ? (['SQLite', 'Postgres'] as const) : (['SQLite'] as const)

/** The newest hundred runs that wait for a person, with what they wait for: of many short runs, and of a hundred long ones. */
export const suspendedList: Workload = {
  name: 'suspendedList',
  unit: 'µs a list',
  floor: 'a table (at, run, call, body) of waiting calls WITHOUT ROWID, and one SELECT of the last hundred, parsed.',
  rounds: 9,
  warmUp: { size: 100, times: 3 },
  variants: [
    ...stores.map((kind) =>
      asking(`${kind} short`, [10_000], 5, async (runs, place) => {
        // A place that stays for all rounds; nobody decides a run of it.
        const { store } = await waitingPlace(kind, runs, { few: 0, place })
        return () => store.suspended({ limit: listed })
      }),
    ),
    asking('SQLite long', [listed], 1, async (runs, place) => {
      const store = sqliteStore(place.freshFile(), { synchronous: 'normal' })
      const agent = signingAgent(store, (asked) => answerAt(asked, messagesEach))
      for (let run = 0; run < runs; run++) await agent.run(promptOf('given', messagesEach))
      return () => store.suspended({ limit: listed })
    }),
  ],
}

function asking(name: string, sizes: readonly number[], times: number, open: OpenAsking): Variant {
  return {
    name,
    sizes,
    warmsUp: name === 'SQLite short',
    subjects: {
      floor: askingTime(openedOnce(bareList), times, () => listed),
      statewright: askingTime(openedOnce(open), times, () => listed),
    },
  }
}

async function bareList(runs: number, place: Place) {
  const database = new DatabaseSync(place.freshFile())
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = normal; BEGIN; CREATE TABLE waiting (
    at INTEGER NOT NULL, run TEXT NOT NULL, call TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (at, run, call)) WITHOUT ROWID`)
  const insert = database.prepare('INSERT INTO waiting VALUES (?, ?, ?, ?)')
  const body = JSON.stringify({ toolName: 'sign', arguments: {}, suspension: { reason: 'approval' } })
  for (let run = 0; run < runs; run++) insert.run(run, `run ${run}`, 'c1', body)
  database.exec('COMMIT')
  const select = database.prepare('SELECT body FROM waiting ORDER BY at DESC LIMIT ?')
  return () => select.all(listed).map((row): unknown => JSON.parse(String(row['body'])))
}
