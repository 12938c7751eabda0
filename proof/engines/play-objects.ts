import { setTimeout as pause } from 'node:timers/promises'
import { randomFrom } from '../support/random.ts'
import { startJournal } from './journal.ts'
import { askObject, token } from './object-client.ts'
import { type Place, PlayedRun } from './played-run.ts'
import { startWorkerd } from './workerd.ts'

/** The size of a play. */
export interface ObjectsPlan {
  readonly script: string
  readonly folder: string
  readonly runs: number
  /** Faults: half of them kill workerd, the others evict the objects of all open runs. */
  readonly faults: number
  readonly seed: number
  /** Milliseconds that an effect takes. */
  readonly effectMs: number
  /** Milliseconds after which a run that stands still counts as lost. */
  readonly patienceMs: number
  /** The bug that the objects are given. */
  readonly plant: string | undefined
}

/** The result of a play. */
export interface ObjectsReport {
  readonly runs: number
  readonly kills: number
  readonly evictions: number
  readonly lost: number
  readonly doubled: number
  /** The longest time that a run with something to do stood still while the server accepted requests. */
  readonly longestStallMs: number
  /** Calls that a kill had interrupted, which a client decided about. */
  readonly interrupted: number
  readonly problems: readonly string[]
}

const mostOpen = 10

/** Plays runs with a child and an approval each, one object a run, while workerd is killed and objects are evicted. */
export async function playObjects(plan: ObjectsPlan): Promise<ObjectsReport> {
  const random = randomFrom(plan.seed)
  await using journal = await startJournal(plan.effectMs)
  const texts = { JOURNAL: journal.url, TOKEN: token, ...(plan.plant === undefined ? {} : { PLANT: plan.plant }) }
  const start = () => startWorkerd({ folder: plan.folder, script: plan.script, texts })
  let server = await start()
  let place: Place = { url: server.url, journal, since: performance.now() }
  let [kills, evictions] = [0, 0]
  const played: PlayedRun[] = []
  const isOver = () => kills + evictions >= plan.faults
  const isStuck = () => played.some(({ longestMs }) => longestMs > plan.patienceMs)

  async function strike(): Promise<void> {
    while (!isOver() && !isStuck()) {
      await pause(random() * 1000)
      if (kills > evictions) {
        evictions++
        const open = played.filter((one) => !one.isDone)
        await Promise.all(open.map(({ id }) => askObject(place.url, `/${id}/evict`, {})))
      } else {
        kills++
        await server.kill()
        server = await start()
      }
      place = { url: server.url, journal, since: performance.now() }
      // A run that is hit again before it goes on stands still for two faults, which says nothing of either.
      while (played.some((one) => one.isStillSince(place.since)) && !isStuck()) await pause(20)
    }
  }

  async function playAll(): Promise<void> {
    while (!isStuck()) {
      const open = played.filter((one) => !one.isDone)
      const isWanted = played.length < plan.runs || !isOver()
      if (open.length < mostOpen && isWanted) played.push(new PlayedRun(`run-${played.length}`))
      else if (open.length === 0) return
      await Promise.all(open.map((one) => one.advance(place)))
      await pause(20)
    }
  }

  await Promise.all([strike(), playAll()])
  await server.kill()
  const problems = played.flatMap(({ problem }) => problem ?? [])
  return {
    runs: played.length,
    kills,
    evictions,
    lost: problems.length,
    doubled: played.filter((one) => one.paymentsIn(journal) > 1).length,
    longestStallMs: Math.round(Math.max(...played.map(({ longestMs }) => longestMs))),
    interrupted: played.reduce((sum, one) => sum + one.interrupted, 0),
    problems,
  }
}
