import { setTimeout as pause } from 'node:timers/promises'
import type { Cut, EngineSetting, SettingPlan } from './engine-setting.ts'
import { startJournal } from './journal.ts'
import { type Place, PlayedRun } from './played-run.ts'

/** The size of a walk. */
export interface CutsPlan extends Omit<SettingPlan, 'journal'> {
  /** Every so many writes one is cut. */
  readonly every: number
  readonly patienceMs: number
}

/** The result of a walk. */
export interface CutsReport {
  /** The number of runs that were cut. */
  readonly cuts: number
  readonly lost: number
  readonly doubled: number
  /** The number of runs whose transcript is not that of a run that was not cut. */
  readonly changed: number
  readonly problems: readonly string[]
}

/** Plays a run for each write of it, once with this write and once without it, after which its engine ends. */
export async function walkCuts(
  open: (plan: SettingPlan) => Promise<EngineSetting>,
  plan: CutsPlan,
): Promise<CutsReport> {
  await using journal = await startJournal(0)
  await using setting = await open({ folder: plan.folder, journal, plant: plan.plant })
  const place = () => ({ url: setting.url(), journal, since: performance.now(), fault: 'cuts' })
  const problems: string[] = []
  const counts = { cuts: 0, lost: 0, doubled: 0, changed: 0 }

  async function play(id: string): Promise<PlayedRun> {
    const run = new PlayedRun(id)
    const whole: Place = place()
    while (!run.isDone && run.longestMs < plan.patienceMs) {
      whole.url = setting.url()
      await run.advance(whole)
      await pause(setting.lookMs)
    }
    return run
  }

  const expected = (await play('whole')).transcript.join('\n')

  /** Returns false if the run has fewer writes. */
  async function playCut({ write, isKept }: Cut): Promise<boolean> {
    const id = `cut-${write}-${isKept ? 'kept' : 'lost'}`
    const isCut = await setting.cut(id, { write, isKept })
    const run = await play(id)
    const wasCut = await isCut()
    if (wasCut) counts.cuts++
    if (run.problem !== undefined) counts.lost++
    if (run.paymentsIn(journal) > 1) counts.doubled++
    if (run.transcript.join('\n') !== expected) counts.changed++
    if (run.problem !== undefined) problems.push(run.problem)
    else if (run.transcript.join('\n') !== expected) problems.push(`${id}: ${run.transcript.join(' | ')}`)
    return wasCut
  }

  for (const isKept of [false, true]) {
    for (let write = 1; ; write += plan.every * setting.mostCuts) {
      const writes = Array.from({ length: setting.mostCuts }, (_, at) => write + at * plan.every)
      const wereCut = await Promise.all(writes.map((one) => playCut({ write: one, isKept })))
      if (wereCut.includes(false)) break
    }
  }
  return { ...counts, problems }
}
