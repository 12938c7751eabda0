import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseFlags } from './support/parse-flags.ts'
import { randomFrom } from './support/random.ts'

const { stops, seed, normal, json } = parseFlags('stops', { stops: 200, seed: Date.now() % 1_000_000 }, ['normal'])
const synchronous = normal ? 'normal' : 'full'
const folder = mkdtempSync(join(tmpdir(), 'stops-'))
const path = join(folder, 'runs.db')
const program = join(import.meta.dirname, 'stops', 'commit-bound.ts')
const busy = spawn(process.execPath, [program, path, synchronous], { stdio: ['pipe', 'pipe', 'inherit'] })
process.once('exit', () => busy.kill('SIGKILL'))
await once(busy.stdout, 'data')

const database = new DatabaseSync(path)
database.exec('PRAGMA busy_timeout = 20')
const random = randomFrom(seed)
let locked = 0
for (let stop = 0; stop < stops; stop++) {
  await pause(5 + random() * 30)
  busy.kill('SIGSTOP')
  await pause(5)
  if (isLocked()) locked++
  busy.kill('SIGCONT')
}
database.close()
busy.kill('SIGKILL')
await once(busy, 'exit')
rmSync(folder, { recursive: true })
const share = Math.round((100 * locked) / stops)
console.log(
  `synchronous ${synchronous}: ${locked} of ${stops} random stops of a process that does little but commit lock others (${share} %)`,
)
if (json) console.log(JSON.stringify({ seed, synchronous, stops, locked }))

/** Whether another process may write. */
function isLocked(): boolean {
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return false
  } catch {
    return true
  }
}
