import { DatabaseSync } from 'node:sqlite'
import type { Store } from '../../src/core/ports/store.ts'
import type { WorkQuery } from '../../src/core/ports/work.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { timeOf } from '../stopwatch.ts'
import type { Measure, Place, Variant, Workload } from '../workload.ts'

const firstDue = 1_800_000_000_000
const askedEach = 20

/**
 * A store of so many runs that wait, each with a timer: which of them are due when none is and when one is, the work of an
 * agent that has none beside all those timers, the newest hundred, and all that wait. The floor is a table of its own for each question, with the index it wants.
 */
export const manyRuns: Workload = {
  name: 'manyRuns',
  unit: 'µs a question',
  floor: 'a table for each question, WITHOUT ROWID, whose key is the order that the question asks for, and one SELECT.',
  rounds: 9,
  warmUp: { size: 200, times: 5 },
  variants: [
    asking('none due', (store) => store.due(firstDue - 1), [0, bareDue(firstDue - 1)]),
    asking('one due', (store) => store.due(firstDue), [1, bareDue(firstDue)]),
    asking('newest', (store) => store.list({ limit: 100 }), [100, bareList(100)]),
    asking('due of others', (store, runs) => store.claimNext(workOf('another', runs)), [0, bareDueOf('another')]),
    asking('waiting', (store, runs) => store.list({ status: 'waiting', limit: runs }), [undefined, bareList()]),
  ],
}

type Ask = (store: Store, runs: number) => Promise<readonly unknown[]>
type BareAsk = (database: DatabaseSync, runs: number) => readonly unknown[]

/** `expected` is how many answers there are; undefined for one a run. */
function asking(name: string, ask: Ask, [expected, bareAsk]: readonly [number | undefined, BareAsk]): Variant {
  const timed =
    (open: (runs: number, place: Place) => Promise<() => Promise<readonly unknown[]>>): Measure =>
    async (runs, place) => {
      const answer = await open(runs, place)
      let found = 0
      const time = await timeOf('processor', async () => {
        for (let count = 0; count < askedEach; count++) found = (await answer()).length
      })
      if (found !== (expected ?? runs)) throw new Error(`${name}: ${found} runs were found.`)
      return time / askedEach
    }
  return {
    name,
    sizes: [20_000],
    subjects: {
      floor: timed(async (runs, place) => {
        const database = bareRuns(runs, place)
        return async () => bareAsk(database, runs)
      }),
      statewright: timed(async (runs, place) => {
        const store = await storedRuns(runs, place)
        return () => ask(store, runs)
      }),
    },
  }
}

const bareStores = new Map<number, DatabaseSync>()
const stores = new Map<number, Promise<Store>>()

function bareRuns(runs: number, place: Place): DatabaseSync {
  const known = bareStores.get(runs)
  if (known !== undefined) return known
  const database = new DatabaseSync(place.freshFile())
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = normal; BEGIN;
    CREATE TABLE timers (due INTEGER NOT NULL, run TEXT NOT NULL, PRIMARY KEY (due, run)) WITHOUT ROWID;
    CREATE TABLE agent_timers (agent TEXT NOT NULL, due INTEGER NOT NULL, run TEXT NOT NULL, PRIMARY KEY (agent, due, run)) WITHOUT ROWID;
    CREATE TABLE runs (at INTEGER NOT NULL, run TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (at, run)) WITHOUT ROWID`)
  const timer = database.prepare('INSERT INTO timers VALUES (?, ?)')
  const agentTimer = database.prepare('INSERT INTO agent_timers VALUES (?, ?, ?)')
  const run = database.prepare('INSERT INTO runs VALUES (?, ?, ?)')
  for (let index = 0; index < runs; index++) {
    timer.run(firstDue + index, `run ${index}`)
    agentTimer.run('bench', firstDue + index, `run ${index}`)
    run.run(
      index,
      `run ${index}`,
      JSON.stringify({ id: `run ${index}`, agent: 'bench', status: 'waiting', version: 1 }),
    )
  }
  database.exec('COMMIT')
  bareStores.set(runs, database)
  return database
}

function bareDue(now: number): BareAsk {
  return (database) => database.prepare('SELECT run FROM timers WHERE due <= ?').all(now)
}

/** Work for an agent that has none, beside as many due timers of the agent that has them all. */
function workOf(agent: string, runs: number): WorkQuery {
  const owner = { id: 'worker', host: 'bench', pid: 1, pidStart: '' }
  return { agents: [agent], now: firstDue + runs, limit: 1, owner, ttlMs: 1000 }
}

function bareDueOf(agent: string): BareAsk {
  return (database, runs) =>
    database.prepare('SELECT run FROM agent_timers WHERE agent = ? AND due <= ? LIMIT 1').all(agent, firstDue + runs)
}

function bareList(limit?: number): BareAsk {
  return (database, runs) => {
    const rows = database.prepare('SELECT body FROM runs ORDER BY at DESC LIMIT ?').all(limit ?? runs)
    return rows.map(({ body }): unknown => JSON.parse(String(body)))
  }
}

function storedRuns(runs: number, place: Place): Promise<Store> {
  const known = stores.get(runs) ?? fill(sqliteStore(place.freshFile(), { synchronous: 'normal' }), runs)
  stores.set(runs, known)
  return known
}

/** Runs as a driver leaves them that waits, without one: the first commit stands in its place. */
async function fill(store: Store, runs: number): Promise<Store> {
  const owner = { id: 'bench', host: 'bench', pid: 1, pidStart: '' }
  for (let index = 0; index < runs; index++) {
    const id = `run ${index}`
    const lease = await store.create({ id, agent: 'bench', input: { prompt: 'Go.' }, at: index }, owner, 1000, {
      at: index,
      status: 'waiting',
      append: [],
      calls: [],
      document: '{"version":1}',
      consumed: [],
      timers: [{ key: 'sleep', due: firstDue + index }],
    })
    await store.release(lease)
  }
  return store
}
