import { statSync } from 'node:fs'
import {
  copyInPostgres,
  copyInSqlite,
  storeFirstWaiting,
  waitingCall,
  waitingId,
} from '../proof/support/waiting-runs.ts'
import { runSql } from '../proof/support/postgres-subject.ts'
import type { Store } from '../src/core/ports/store.ts'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'
import { freshPlace } from './postgres.ts'
import type { Place } from './workload.ts'

/** A store of so many waiting runs. */
export interface WaitingPlace {
  readonly store: Store
  readonly bytes: number
  /** The number of the next run that nobody has decided. */
  next: number
}

const places = new Map<string, Promise<WaitingPlace>>()
/** The place of few runs that was made last; it is closed before the next one is made. */
let ofFew: WaitingPlace | undefined

/** The runs of a place that are decided to no end but to have done it before. */
const warmUps = 2

/**
 * A store of so many waiting runs, in SQLite or Postgres. One of more than `few` stays for all rounds, and its runs are
 * decided one after the other; one of few is made anew.
 */
export async function waitingPlace(
  kind: 'SQLite' | 'Postgres',
  runs: number,
  { few, place }: { readonly few: number; readonly place: Place },
): Promise<WaitingPlace> {
  const key = `${kind} ${runs}`
  if (runs <= few) await ofFew?.store.close()
  const known = places.get(key) ?? (kind === 'SQLite' ? inSqlite(runs, place.freshFile()) : inPostgres(runs))
  if (runs > few) places.set(key, known)
  const found = await known
  if (runs <= few) ofFew = found
  for (let count = 0; count < warmUps; count++) {
    await found.store.decide(waitingId(found.next++), [{ target: waitingCall, action: 'resume' }], Date.now())
  }
  return found
}

async function inSqlite(runs: number, path: string): Promise<WaitingPlace> {
  const filling = sqliteStore(path)
  await storeFirstWaiting(filling)
  await filling.close()
  copyInSqlite(path, runs)
  return { store: sqliteStore(path), bytes: statSync(path).size, next: 0 }
}

async function inPostgres(runs: number): Promise<WaitingPlace> {
  const { url, schema, open } = await freshPlace()
  const store = open()
  await storeFirstWaiting(store)
  await copyInPostgres(url, schema, runs)
  const size = `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r'`
  const [row] = await runSql(url, size, [schema])
  return { store, bytes: Number(row?.['bytes']), next: 0 }
}
