import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, unprivilegedUser } from './unprivileged.ts'

const places = ['/usr/sbin', '/usr/bin', ...(process.env['PATH'] ?? '').split(':')]
const program = places.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path))

/** True if the connection pooler PgBouncer is installed. */
export const hasPgbouncer = program !== undefined

/** Says once that the tests of the pooler are skipped, if it is not installed. */
export function sayNoPgbouncer(what: string): void {
  if (!hasPgbouncer) console.log(`PgBouncer is not installed: ${what} skipped`)
}

/** A running pooler. */
export interface Pgbouncer extends AsyncDisposable {
  readonly url: string
}

/** Ends the pooler when its own standard input ends, so that the pooler never outlives the process that started it. */
const guarded = '"$0" -q "$1" & cat > /dev/null; kill $!'

/** Starts PgBouncer with its default settings before a server, in one of its modes. */
export async function startPgbouncer(serverUrl: string, mode: string, ...settings: string[]): Promise<Pgbouncer> {
  if (program === undefined) throw new Error('PgBouncer is not installed.')
  const server = new URL(serverUrl)
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
  const port = await freePort()
  const config = join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    ...settings,
  ]
  // With this way of logging in, the user of the server is the one that the database names.
  lines[1] += ` user=${server.username}${server.password === '' ? '' : ` password=${server.password}`}`
  writeFileSync(config, `${lines.join('\n')}\n`)
  const user = unprivilegedUser()
  if (user !== undefined) for (const path of [folder, config]) chownSync(path, user.uid, user.gid)
  const child = spawn('sh', ['-c', guarded, program, config], { ...user, stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  while (!(await isListening(port))) if (child.exitCode !== null) throw new Error('PgBouncer ended before it listened.')
  const url = new URL(serverUrl)
  url.port = String(port)
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const answer = (isOpen: boolean) => () => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', answer(true)).once('error', answer(false))
  })
}
