import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A Postgres server for tests. */
export interface PostgresServer {
  /** The address of its database, for a user that may do everything. */
  readonly url: string
  /** Ends the server as a crash does; absent for one that others use too. */
  readonly stop?: () => Promise<void>
  readonly start?: () => Promise<void>
}

/** Why there is no server. */
export const noPostgres = 'PostgreSQL is not installed, and STATEWRIGHT_POSTGRES_URL names no server'

const url = process.env['STATEWRIGHT_POSTGRES_URL']
const given = url === '' ? undefined : url
const binaries = url === undefined ? findBinaries() : undefined

/** True where a server can be had. */
export const hasPostgres = given !== undefined || binaries !== undefined

/** Says once that what needs a server is skipped. */
export function sayNoPostgres(what: string): void {
  if (!hasPostgres) console.log(`${noPostgres}: ${what} skipped`)
}

let shared: Promise<PostgresServer> | undefined

/** The one server of this thread, started when it is first asked for; it ends with the thread. */
export function postgresServer(): Promise<PostgresServer> {
  shared ??= startPostgres()
  return shared
}

/** A server of one's own, which ends when `stop` is called or with the process. */
export async function startPostgres(...settings: readonly string[]): Promise<PostgresServer> {
  if (given !== undefined) return { url: given }
  if (binaries === undefined) throw new Error(`${noPostgres}.`)
  const runner = fileURLToPath(new URL('run-postgres.ts', import.meta.url))
  const child = spawn(process.execPath, [runner, binaries, ...settings], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async () => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('The Postgres server did not start.')
    return value
  }
  const port = await answer()
  // It ends when this process or thread does, and keeps neither alive.
  child.unref()
  for (const stream of [child.stdin, child.stdout])
    if ('unref' in stream && typeof stream.unref === 'function') stream.unref()
  const tell = async (command: string) => {
    child.stdin.write(`${command}\n`)
    await answer()
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () => tell('stop'),
    start: () => tell('start'),
  }
}

/** The folder of the newest server that is installed as Debian does. */
function findBinaries(): string | undefined {
  const versions = '/usr/lib/postgresql'
  const folders = existsSync(versions) ? readdirSync(versions) : []
  const known = folders
    .toSorted((left, right) => Number(right) - Number(left))
    .map((name) => join(versions, name, 'bin'))
  const inPath = (process.env['PATH'] ?? '').split(':')
  return [...known, ...inPath].find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  )
}
