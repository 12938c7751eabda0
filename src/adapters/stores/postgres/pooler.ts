import { StoreError } from '../../../core/domain/store-error.ts'
import { number, type SqlRow } from '../../../core/stores/rows/columns.ts'
import type { PostgresClient } from './postgres-pool.ts'

type Sql = (text: string) => Promise<readonly SqlRow[]>

/** Sent without a name, because a pooler may send the next statement to a server that has not prepared it. */
const selectProcess = 'VALUES (pg_backend_pid())'

/** Returns true if the connection leads to a pooler, whose greeting does not name the server process that answers. */
export async function isPooled(client: PostgresClient, sql: Sql): Promise<boolean> {
  return client.processID !== (await processOf(sql))
}

/** Throws a `StoreError` if a pooler distributes the transactions of one connection over several server processes. */
export async function checkPooler(first: Sql, second: Sql, place: string): Promise<void> {
  const own = await begin(first)
  await first('COMMIT')
  const other = await begin(second)
  if (other === own) throw sharedConnections(place)
  const orders = [
    [first, second],
    [second, first],
  ] as const
  for (const order of orders) {
    await expectProcess(first, own, place)
    for (const sql of order) await sql('COMMIT')
    await expectProcess(first, own, place)
    await first('COMMIT')
    await expectProcess(second, other, place)
  }
  await second('COMMIT')
}

async function expectProcess(sql: Sql, expected: number, place: string): Promise<void> {
  if ((await begin(sql)) !== expected) throw sharedConnections(place)
}

async function begin(sql: Sql): Promise<number> {
  await sql('BEGIN')
  return processOf(sql)
}

async function processOf(sql: Sql): Promise<number> {
  const [row = {}] = await sql(selectProcess)
  return number('', row, 'column1')
}

function sharedConnections(place: string): StoreError {
  return new StoreError(
    'store_unavailable',
    `The store in ${place} is behind a connection pooler in transaction mode, which gives the transactions of one connection ` +
      'to several server processes. The store listens and prepares statements, and both belong to one server process. ' +
      "Nothing was changed: use the pooler's session mode, or the server's own address.",
  )
}
