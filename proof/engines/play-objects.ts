import { setTimeout as pause } from 'node:timers/promises'
import { randomFrom } from '../support/random.ts'
import type { EngineSetting, SettingPlan } from './engine-setting.ts'
import { startJournal } from './journal.ts'
import { type Place, PlayedRun } from './played-run.ts'

/** The size of a play. */
export interface ObjectsPlan extends Omit<SettingPlan, 'journal'> {
  readonly runs: number
  /** The number of all faults; those of the setting are done in turn. */
  readonly faults: number
  readonly seed: number
  /** Milliseconds that an effect takes. */
  readonly effectMs: number
  /** Milliseconds after which a run that stands still counts as lost. */
  readonly patienceMs: number
}

/** The result of a play. */
export interface ObjectsReport {
  readonly runs: number
  /** The number of faults, by their names. */
  readonly faults: Readonly<Record<string, number>>
  readonly lost: number
  readonly doubled: number
  /** The longest time that a run with something to do stood still while the engine accepted requests. */
  readonly longestStallMs: number
  /** The longest one behind each fault. */
  readonly longestMsBehind: Readonly<Record<string, number>>
  /** Calls that a fault had interrupted, which a client decided about. */
  readonly interrupted: number
  readonly problems: readonly string[]
}

/** Plays runs with a child and an approval each, one object a run, while the engine is disturbed. */
export async function playObjects(
  open: (plan: SettingPlan) => Promise<EngineSetting>,
  plan: ObjectsPlan,
): Promise<ObjectsReport> {
  const random = randomFrom(plan.seed)
  await using journal = await startJournal(plan.effectMs)
  await using setting = await open({ folder: plan.folder, journal, plant: plan.plant })
  const place: Place = { url: setting.url(), journal, since: performance.now(), fault: 'none' }
  const faults = Object.fromEntries(Object.keys(setting.faults).map((name) => [name, 0]))
  const played: PlayedRun[] = []
  let done = 0
  const isStuck = () => played.some(({ longestMs }) => longestMs > plan.patienceMs)

  async function strike(): Promise<void> {
    const kinds = Object.entries(setting.faults)
    while (done < plan.faults && !isStuck()) {
      await pause(random() * 1000)
      const [name, disturb] = kinds[done % kinds.length] ?? ['', async () => undefined]
      // Nobody accepts requests while this is done.
      place.since = undefined
      await disturb(played.filter((one) => !one.isDone).map(({ id }) => id))
      faults[name] = (faults[name] ?? 0) + 1
      done++
      const since = performance.now()
      Object.assign(place, { url: setting.url(), since, fault: name })
      // A run that is hit again before it goes on stands still for two faults, which says nothing of either.
      while (played.some((one) => one.isStillSince(since)) && !isStuck()) await pause(20)
    }
  }

  async function playAll(): Promise<void> {
    while (!isStuck()) {
      const running = played.filter((one) => !one.isDone)
      const isWanted = played.length < plan.runs || done < plan.faults
      if (running.length < setting.mostOpen && isWanted) played.push(new PlayedRun(`run-${played.length}`))
      else if (running.length === 0) return
      await Promise.all(running.map((one) => one.advance(place)))
      await pause(setting.lookMs)
    }
  }

  await Promise.all([strike(), playAll()])
  const stalls: Record<string, number> = {}
  for (const [fault, ms] of played.flatMap(({ stallMs }) => [...stallMs]))
    stalls[fault] = Math.round(Math.max(stalls[fault] ?? 0, ms))
  const problems = played.flatMap(({ problem }) => problem ?? [])
  return {
    runs: played.length,
    faults,
    lost: problems.length,
    doubled: played.filter((one) => one.paymentsIn(journal) > 1).length,
    longestStallMs: Math.max(...Object.values(stalls)),
    longestMsBehind: stalls,
    interrupted: played.reduce((sum, one) => sum + one.interrupted, 0),
    problems,
  }
}
