import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort, unprivilegedUser } from './unprivileged.ts'

// Runs a Postgres server in a temporary folder until its standard input ends, whatever became of whoever started it. It
// is told to `stop` and to `start` in lines, and answers each with one: `<port>` or `stopped`.

const [, , binaries = '', ...settings] = process.argv
const folder = mkdtempSync(join(tmpdir(), 'postgres-'))
const data = join(folder, 'data')
const user = unprivilegedUser()
const asUser = user === undefined ? {} : user
const port = await freePort()
let server: ChildProcess | undefined

if (user !== undefined) chownSync(folder, user.uid, user.gid)
try {
  const options = ['--no-sync', '--auth=trust', '--encoding=UTF8', '--locale=C', '--username=postgres']
  execFileSync(join(binaries, 'initdb'), ['-D', data, ...options], {
    ...asUser,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  // One role has to say its password, so that a wrong one is refused.
  writeFileSync(
    join(data, 'pg_hba.conf'),
    'host all guarded 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n',
  )
  for await (const line of commands()) {
    if (line === 'start') console.log(await start())
    if (line === 'stop') console.log(await stop())
  }
} finally {
  await stop()
  rmSync(folder, { recursive: true, force: true })
}

async function* commands(): AsyncGenerator<string> {
  yield 'start'
  yield* createInterface({ input: process.stdin })
}

function start(): Promise<string> {
  const fixed = ['unix_socket_directories=', 'listen_addresses=127.0.0.1', 'fsync=off', 'shared_buffers=32MB']
  const given = [...fixed, ...settings].flatMap((setting) => ['-c', setting])
  const child = spawn(join(binaries, 'postgres'), ['-D', data, '-p', String(port), ...given], {
    ...asUser,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  server = child
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-2000)
      if (text.includes('ready to accept connections')) resolve(String(port))
    })
    child.once('exit', () => reject(new Error(`The server ended before it was ready: ${said}`)))
  })
}

function stop(): Promise<string> {
  const child = server
  server = undefined
  if (child === undefined || child.exitCode !== null) return Promise.resolve('stopped')
  return new Promise((resolve) => {
    child.once('exit', () => resolve('stopped'))
    // At once: what is in memory only is lost, as in a crash.
    child.kill('SIGQUIT')
  })
}
