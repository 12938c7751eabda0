import { Pool } from 'pg'
import { type PostgresServer, startPostgres } from '../proof/support/postgres-server.ts'
import { freshSchema } from '../proof/support/postgres-subject.ts'
import { postgresStore } from '../src/adapters/stores/postgres/postgres-store.ts'

/** A server of this process that waits for the disk in every commit, and has as much memory as one that is used. */
let server: Promise<PostgresServer> | undefined

/** The address of the server. */
async function serverUrl(): Promise<string> {
  server ??= startPostgres('fsync=on', 'shared_buffers=256MB')
  return (await server).url
}

/** A schema of its own, and how to open a store in it. */
export async function freshPlace() {
  const url = await serverUrl()
  const schema = freshSchema()
  return { url, schema, open: () => postgresStore({ connectionString: url, schema }) }
}

/** The least that keeps a conversation in Postgres: one INSERT a message, prepared, on as many connections as our store has. */
export class BarePostgres {
  readonly #pool: Pool

  private constructor(pool: Pool) {
    this.#pool = pool
  }

  static async open(): Promise<BarePostgres> {
    const pool = new Pool({ connectionString: await serverUrl(), max: 10 })
    await pool.query(
      'CREATE TABLE IF NOT EXISTS messages (run text, seq int, body text NOT NULL, PRIMARY KEY (run, seq))',
    )
    return new BarePostgres(pool)
  }

  /** Keeps one message of a run, in a transaction of its own. */
  async append(run: string, seq: number, message: object): Promise<void> {
    const text = 'INSERT INTO messages (run, seq, body) VALUES ($1, $2, $3)'
    await this.#pool.query({ name: 'append', text, values: [run, seq, JSON.stringify(message)] })
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}
