import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Journal } from './support/journal.ts'
import { parseFlags } from './support/parse-flags.ts'
import { payingAgents } from './support/paying-family.ts'
import { showProgress } from './support/progress.ts'
import { randomFrom } from './support/random.ts'
import { newPlace, openStore } from './support/store-place.ts'
import type { FamilyOrder, FamilyOutcome } from './race/family-orders.ts'
import type { Order, Outcome } from './race/orders.ts'
import { type FamilyRace, playFamilyRound } from './race/play-family-round.ts'
import { playRound, type Race } from './race/play-round.ts'
import { playSessionRound, type SessionRace } from './race/play-session-round.ts'
import { racedFamily } from './race/raced-family.ts'
import type { SessionOrder, SessionOutcome } from './race/session-orders.ts'

const flags = parseFlags('race', { rounds: 200, seed: Date.now() % 2 ** 31 }, [], ['store', 'plant'])
const { rounds, seed, json } = flags
const start = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'race-'))
const place = await newPlace(flags.store ?? 'SQLite', folder)
const store = openStore(place.address)
const newRacer = () =>
  fork(join(import.meta.dirname, 'race', 'racer.ts'), [
    folder,
    place.address,
    ...(flags.plant === undefined ? [] : [flags.plant]),
  ])
const racers = [newRacer(), newRacer()]
try {
  process.exitCode = (await playAll()) ? 0 : 1
} catch (error) {
  console.error(`The race failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  for (const racer of racers) racer.kill('SIGKILL')
  await store.close()
  await place.close()
  rmSync(folder, { recursive: true, force: true })
}

async function playAll(): Promise<boolean> {
  const journal = new Journal(folder)
  const [, head] = payingAgents(racedFamily(store, journal))
  const random = randomFrom(seed)
  const results = []
  let faults = 0
  for (let round = 0; round < rounds; round++) {
    results.push(await playRound(race, store, journal, round))
    results.push(await playSessionRound(raceInSession, store, round))
    const family = await playFamilyRound({ race: raceInFamily, store, journal, head, round, random })
    results.push(family)
    faults += family.faults
    showProgress(`${round + 1} of ${rounds} rounds`)
  }
  const lost = results.flatMap((result) => result.lost)
  const doubled = results.flatMap((result) => result.doubled)
  const wrong = results.flatMap((result) => result.wrong)
  const refused = results.reduce((sum, { refusedDrives }) => sum + refusedDrives, 0)
  for (const sentence of [...lost, ...doubled, ...wrong].slice(0, 20)) console.log(sentence)
  const seconds = Math.round((performance.now() - start) / 100) / 10
  console.log(
    `\r${rounds} rounds of two processes on one run, in one session and on one family, ${faults} kills, ${refused} times one was refused: ` +
      `${lost.length} lost, ${doubled.length} doubled, ${wrong.length} wrong answers (${seconds} s)`,
  )
  const figures = {
    rounds,
    families: rounds,
    faults,
    seed,
    lost: lost.length,
    doubled: doubled.length,
    wrong: wrong.length,
    refused,
    seconds,
  }
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

async function raceInFamily(...[first, second, killAfterMs]: Parameters<FamilyRace>): ReturnType<FamilyRace> {
  const at = Date.now() + 3
  const ask = (racer: ChildProcess | undefined, order: typeof first) => orderOf<FamilyOutcome>(racer, { ...order, at })
  const [, victim] = racers
  if (killAfterMs === undefined || victim === undefined)
    return Promise.all([ask(racers[0], first), ask(victim, second)])
  const asked = ask(racers[0], first)
  victim.send({ ...second, at } satisfies FamilyOrder)
  await pause(killAfterMs)
  victim.kill('SIGKILL')
  racers[1] = newRacer()
  return [await asked, undefined]
}

/** Sends an order; a racer that ends instead of answering fails the race. */
async function orderOf<Found>(
  racer: ChildProcess | undefined,
  order: Order | SessionOrder | FamilyOrder,
): Promise<Found> {
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
