import { Client, type QueryConfig } from 'pg'
import { postgresStore } from '../../../src/adapters/stores/postgres/postgres-store.ts'
import { freshSchema, runSql } from '../../../proof/support/postgres-subject.ts'

/** The values that each statement had when it was first sent, by its text; `@` stands for the schema. */
export type SentStatements = ReadonlyMap<string, readonly unknown[]>

const schemaName = /"test_\w+"/g

/** Notes each statement that this process sends to a server from now on. */
export function noteStatements(): SentStatements {
  const sent = new Map<string, readonly unknown[]>()
  const { query } = Client.prototype
  Object.assign(Client.prototype, {
    query(this: Client, ...given: readonly unknown[]) {
      const [config] = given
      if (isConfig(config)) {
        const text = config.text.replaceAll(schemaName, '"@"')
        if (!sent.has(text)) sent.set(text, config.values ?? [])
      }
      return Reflect.apply(query, this, given)
    },
  })
  return sent
}

function isConfig(value: unknown): value is QueryConfig {
  return typeof value === 'object' && value !== null && 'text' in value
}

/** Columns whose statistics matter: most runs are done, and belong to one agent. */
const held: Readonly<Record<string, string>> = {
  status: "CASE WHEN n % 100 = 0 THEN 'waiting' ELSE 'done' END",
  agent: "'guide'",
  owner: "CASE WHEN n % 100 = 0 THEN 'somebody' END",
  next_due: 'CASE WHEN n % 100 = 0 THEN n END',
  answered_at: 'CASE WHEN n % 500 = 0 THEN n END',
  at: '4e12 + n',
  due: 'CASE WHEN n % 100 = 0 THEN n ELSE 0 END',
  state: "CASE WHEN n % 100 = 0 THEN 'pending' ELSE 'sent' END",
  kind: "CASE WHEN n % 2 = 0 THEN 'event' ELSE 'message' END",
  labels: `CASE WHEN n % 100 = 0 THEN '{"team":"one"}' END`,
}

const columnsOf = `
  SELECT table_name AS name, json_agg(json_build_object('name', column_name, 'type', data_type)) AS columns
  FROM information_schema.columns WHERE table_schema = $1 AND is_generated = 'NEVER' GROUP BY table_name`

/** Makes a store's schema with many rows in every table; gives its name. */
export async function largeSchema(url: string): Promise<string> {
  const schema = freshSchema()
  const store = postgresStore({ connectionString: url, schema })
  await store.list()
  await store.close()
  for (const { name, columns } of await runSql(url, columnsOf, [schema])) {
    if (name === 'layout' || !Array.isArray(columns)) continue
    const values = columns.map((column) => held[column.name] ?? (column.type === 'text' ? "'x' || n" : 'n'))
    const names = columns.map((column) => `"${column.name}"`)
    const into = `"${schema}"."${String(name)}" (${names.join()}) OVERRIDING SYSTEM VALUE`
    await runSql(url, `INSERT INTO ${into} SELECT ${values.join()} FROM generate_series(1, 20000) AS counted (n)`)
  }
  return schema
}

/** Returns the tables that a statement reads from the first row to the last. */
export async function scannedBy(
  client: Client,
  schema: string,
  [text, values]: readonly [string, readonly unknown[]],
): Promise<readonly string[]> {
  const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text.replaceAll('"@"', `"${schema}"`)}`, [...values])
  const scans = JSON.stringify(rows[0]?.['QUERY PLAN']).matchAll(/"Node Type":"Seq Scan".*?"Relation Name":"(\w+)"/g)
  return Array.from(scans, ([, name = '']) => name)
}
