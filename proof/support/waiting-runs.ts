import { DatabaseSync } from 'node:sqlite'
import { type Agent, createAgent, type Store, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { runSql } from './postgres-subject.ts'
import { call, calls } from './say.ts'

/** The run that the others are copies of. */
const firstWaiting = 'waiting-0'

/** The call that each of them waits for. */
export const waitingCall = 'c1'

/** An agent whose runs wait for an approval, and end with it. */
export function waitingAgent(store: Store, begun: () => void = () => undefined): Agent {
  const sign = tool({
    name: 'sign',
    description: 'Signs.',
    input: { type: 'object' },
    needs: 'approval',
    effects: 'none',
    execute: () => {
      begun()
      return 'signed'
    },
  })
  return createAgent({
    name: 'clerk',
    model: scripted([calls(call(waitingCall, 'sign')), 'Done.']),
    tools: [sign],
    store,
  })
}

/** The id of a waiting run. */
export function waitingId(index: number): string {
  return `waiting-${index}`
}

/** Stores the first waiting run, as an agent does. */
export async function storeFirstWaiting(store: Store): Promise<void> {
  await waitingAgent(store).run('Sign.', { runId: firstWaiting })
}

/** Copies the first waiting run in an SQLite file, row by row, so that there are so many in all. */
export function copyInSqlite(path: string, count: number): void {
  const database = new DatabaseSync(path)
  const names = columnsOf(database, 'runs').filter((name) => name !== 'number' && name !== 'id')
  const span = spanOf(database)
  database.exec(`PRAGMA synchronous = off; BEGIN;
    INSERT INTO runs (id, ${names.join(', ')})
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})
      SELECT 'waiting-' || n, ${names.join(', ')} FROM numbers CROSS JOIN runs WHERE id = '${firstWaiting}';
    INSERT INTO inputs (number, body) SELECT runs.number, body FROM runs, inputs
      WHERE inputs.number = 1 AND runs.number > 1;
    INSERT INTO log (id, version, kind, body, document, at, turn, place)
      SELECT log.id + (runs.number - 1) * ${span}, log.version, kind, body, log.document, at, turn, place FROM runs, log
      WHERE log.id < 2 * ${span} AND runs.number > 1;
    COMMIT; ANALYZE`)
  database.close()
}

/** The same in a schema of Postgres. */
export async function copyInPostgres(url: string, schema: string, count: number): Promise<void> {
  const columns = `SELECT string_agg(quote_ident(column_name), ', ') AS names FROM information_schema.columns
    WHERE table_schema = $1 AND table_name = 'runs' AND column_name NOT IN ('number', 'id') AND is_generated = 'NEVER'`
  const names = String((await runSql(url, columns, [schema]))[0]?.['names'])
  await runSql(
    url,
    `INSERT INTO ${schema}.runs (id, ${names})
       SELECT 'waiting-' || n, ${names} FROM generate_series(1, ${count - 1}) AS n, ${schema}.runs WHERE id = '${firstWaiting}';
     INSERT INTO ${schema}.inputs (number, body)
       SELECT runs.number, body FROM ${schema}.runs, ${schema}.inputs
       WHERE inputs.number = (SELECT number FROM ${schema}.runs WHERE id = '${firstWaiting}') AND runs.id <> '${firstWaiting}';
     INSERT INTO ${schema}.log (transcript, seq, version, kind, body, document, at, turn, place)
       SELECT runs.number, seq, log.version, kind, body, log.document, at, turn, place FROM ${schema}.runs, ${schema}.log
       WHERE log.transcript = (SELECT number FROM ${schema}.runs WHERE id = '${firstWaiting}') AND runs.id <> '${firstWaiting}';
     ANALYZE ${schema}.runs, ${schema}.inputs, ${schema}.log, ${schema}.inbox`,
  )
}

function columnsOf(database: DatabaseSync, table: string): readonly string[] {
  return database
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name))
}

/** The distance between the logs of two runs: the first run has number 1, and its log begins at entry 1. */
function spanOf(database: DatabaseSync): number {
  const first = Number(database.prepare('SELECT min(id) AS id FROM log').get()?.['id'])
  return first - 1
}
