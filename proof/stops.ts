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

const ours = await stopAtRandom('commit-bound.ts')
const bare = await stopAtRandom('bare-writer.ts', ours.said)
rmSync(folder, { recursive: true })
const shareOf = (locked: number) => `${locked} of ${stops} (${Math.round((100 * locked) / stops)} %)`
console.log(
  `synchronous ${synchronous}: ${shareOf(ours.locked)} random stops of a process that does little but commit lock others`,
)
console.log(`the floor, a bare writer of the same rows, as often: ${shareOf(bare.locked)}`)
if (json) console.log(JSON.stringify({ seed, synchronous, stops, locked: ours.locked, floor: bare.locked }))

/** Stops a program at random moments once it has said something, and counts how often nobody else can write then. */
async function stopAtRandom(program: string, ...args: readonly string[]) {
  const file = join(import.meta.dirname, 'stops', program)
  const busy = spawn(process.execPath, [file, path, synchronous, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const end = () => busy.kill('SIGKILL')
  process.once('exit', end)
  const [said] = await once(busy.stdout, 'data')
  const database = new DatabaseSync(path)
  database.exec('PRAGMA busy_timeout = 20')
  const random = randomFrom(seed)
  let locked = 0
  for (let stop = 0; stop < stops; stop++) {
    await pause(5 + random() * 30)
    busy.kill('SIGSTOP')
    await pause(5)
    if (isLocked(database)) locked++
    busy.kill('SIGCONT')
  }
  database.close()
  end()
  await once(busy, 'exit')
  process.off('exit', end)
  return { locked, said: String(said).trim() }
}

/** Whether another process may write. */
function isLocked(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    return false
  } catch {
    return true
  }
}
