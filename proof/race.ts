import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStore } from '../src/adapters/stores/sqlite/sqlite-store.ts'
import { Journal } from './support/journal.ts'
import { parseFlags } from './support/parse-flags.ts'
import type { Order, Outcome } from './race/orders.ts'
import { playRound, type Race } from './race/play-round.ts'
import { playSessionRound, type SessionRace } from './race/play-session-round.ts'
import type { SessionOrder, SessionOutcome } from './race/session-orders.ts'

const { rounds, json } = parseFlags('race', { rounds: 200 })
const start = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'race-'))
const store = sqliteStore(join(folder, 'runs.db'), { synchronous: 'normal' })
const racers = [0, 1].map(() => fork(join(import.meta.dirname, 'race', 'racer.ts'), [folder]))
try {
  process.exitCode = (await playAll()) ? 0 : 1
} catch (error) {
  console.error(`The race failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  for (const racer of racers) racer.kill('SIGKILL')
  await store.close()
  rmSync(folder, { recursive: true, force: true })
}

async function playAll(): Promise<boolean> {
  const journal = new Journal(folder)
  const results = []
  for (let round = 0; round < rounds; round++) {
    results.push(await playRound(race, store, journal, round))
    results.push(await playSessionRound(raceInSession, store, round))
    if (process.stdout.isTTY) process.stdout.write(`\r${round + 1} of ${rounds} rounds`)
  }
  const lost = results.flatMap((result) => result.lost)
  const doubled = results.flatMap((result) => result.doubled)
  const wrong = results.flatMap((result) => result.wrong)
  const refused = results.reduce((sum, { refusedDrives }) => sum + refusedDrives, 0)
  for (const sentence of [...lost, ...doubled, ...wrong].slice(0, 20)) console.log(sentence)
  const seconds = Math.round((performance.now() - start) / 100) / 10
  console.log(
    `\r${rounds} rounds of two processes on one run and in one session, ${refused} times one was refused: ` +
      `${lost.length} lost, ${doubled.length} doubled, ${wrong.length} wrong answers (${seconds} s)`,
  )
  const figures = { rounds, lost: lost.length, doubled: doubled.length, wrong: wrong.length, refused, seconds }
  if (json) console.log(JSON.stringify(figures))
  return lost.length + doubled.length + wrong.length === 0 && (refused > 0 || rounds < 20)
}

function race(...[first, second, runId]: Parameters<Race>): ReturnType<Race> {
  const at = Date.now() + 3
  const ask = (racer: ChildProcess | undefined, what: Order['what']) => orderOf<Outcome>(racer, { runId, what, at })
  return Promise.all([ask(racers[0], first), ask(racers[1], second)])
}

function raceInSession(...[first, second]: Parameters<SessionRace>): ReturnType<SessionRace> {
  const at = Date.now() + 3
  const ask = (racer: ChildProcess | undefined, order: typeof first) => orderOf<SessionOutcome>(racer, { ...order, at })
  return Promise.all([ask(racers[0], first), ask(racers[1], second)])
}

/** Sends an order; a racer that ends instead of answering fails the race. */
async function orderOf<Found>(racer: ChildProcess | undefined, order: Order | SessionOrder): Promise<Found> {
  if (racer === undefined || racer.exitCode !== null) throw new Error('A racer has ended.')
  const stop = new AbortController()
  const answer = once(racer, 'message', { signal: stop.signal })
  const end = once(racer, 'exit', { signal: stop.signal }).then(() => {
    throw new Error(`A racer ended during ${JSON.stringify(order)}.`)
  })
  racer.send(order)
  try {
    const [outcome] = await Promise.race([answer, end])
    return outcome as Found
  } finally {
    answer.catch(() => undefined)
    end.catch(() => undefined)
    stop.abort()
  }
}
