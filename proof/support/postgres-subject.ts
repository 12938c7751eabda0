import { Client } from 'pg'
import { recordTables } from '../../src/adapters/stores/postgres/record-parts.ts'
import { postgresStore } from '../../src/adapters/stores/postgres/postgres-store.ts'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { StoreUnderTest } from '../../src/testing/stores/store-suite.ts'
import { deadOwner } from './dead-owner.ts'
import { postgresServer } from './postgres-server.ts'

let lastSchema = 0

/** The name of a schema that nobody has used. */
export function freshSchema(): string {
  return `test_${process.pid}_${Date.now().toString(36)}_${++lastSchema}`
}

/** Runs one statement on the server, with all rights. */
export async function runSql(url: string, text: string, values: readonly unknown[] = []): Promise<readonly SqlRow[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows
  } finally {
    await client.end()
  }
}

type SqlRow = Readonly<Record<string, unknown>>

/** An empty schema with the tables of a store. */
export interface StoreSchema {
  /** Opens a store on it, to be closed by the caller. */
  open(): Store
  /** Returns all rows of all its tables, as text. */
  rows(): Promise<string>
  /** Empties it for the next who takes one: to make its tables costs more than what most do in it. */
  giveBack(): Promise<void>
}

/**
 * Returns what gives an empty schema, or a new one, for stores whose leases expire by a clock. Whoever keeps connections
 * leaves those of a schema open for its next stores, which have several at once then.
 */
export function emptySchemas(keepsConnections: boolean): (clock: Pick<Clock, 'now'>) => Promise<StoreSchema> {
  const unused: { readonly schema: string; readonly kept: Store | undefined }[] = []
  return async (clock) => {
    const { url } = await postgresServer()
    const place = unused.pop() ?? (await makePlace())
    return {
      open: () => openIn(place.schema),
      rows: async () => {
        const all = tables.map((table) => `SELECT row::text FROM ${place.schema}.${table} AS row`).join(' UNION ALL ')
        return (await runSql(url, all)).map(({ row }) => String(row)).join('\n')
      },
      giveBack: async () => {
        await runSql(url, tables.map((table) => `DELETE FROM ${place.schema}.${table}`).join('; '))
        unused.push(place)
      },
    }

    function openIn(schema: string): Store {
      return postgresStore({ connectionString: url, schema, connections: 4, clock })
    }

    async function makePlace() {
      const schema = freshSchema()
      const store = openIn(schema)
      await store.list()
      if (!keepsConnections) await store.close()
      return { schema, kept: keepsConnections ? store : undefined }
    }
  }
}

const takeSchema = emptySchemas(false)
const tables = ['runs', 'transcripts', 'inputs', 'files', 'log', 'inbox', ...recordTables.keys()]

/** An empty store whose leases expire by a clock. */
export async function postgresSubject(clock: Pick<Clock, 'now'>): Promise<StoreUnderTest> {
  const { open, giveBack } = await takeSchema(clock)
  const store = open()
  return {
    store,
    deadOwner,
    dispose: async () => {
      await store.close()
      await giveBack()
    },
  }
}
