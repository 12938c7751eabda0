import { having } from '../../core/domain/text/option-shape.ts'
import { compareTrials } from './compare-trials.ts'
import { type CrashPoint, pointsUpTo } from './mortal-process.ts'
import { maxWrites, runTrial } from './crash-trial.ts'
import type { CrashFinding, CrashReport, CrashScenario, CrashWalkOptions, Trial } from './crash-scenario.ts'
import type { CrashProblem } from './crash-problem.ts'
import { type Interleaving, interleavingsOf } from './interleaving.ts'

/**
 * Plays a scenario without crashes, and then once for every crash point: before and after every write, for pairs of
 * crash points, and optionally for every write after which the process can be stopped and woken later. Reports every
 * difference. If the run without crashes does not end, the report has only that problem.
 *
 * @example
 * const report = await walkCrashes(scenario, { storage: memoryStorage })
 * assert.deepEqual(report.findings, [])
 */
export async function walkCrashes(scenario: CrashScenario, options: CrashWalkOptions): Promise<CrashReport> {
  having('a scenario', 'build')(scenario, { field: 'scenario', owner: 'walkCrashes' })
  having('{ storage, … }')(options, { field: 'options', owner: 'walkCrashes' })
  const tally = new Tally(scenario)
  let reference: Trial | undefined
  for (const interleaving of interleavingsOf(scenario.parallel ?? [])) {
    const calm = await runTrial(scenario, interleaving, [], options)
    reference ??= calm
    tally.add(calm, compareTrials(reference, calm), [], interleaving)
    if ((calm.writes[0] ?? 0) >= maxWrites) continue
    const singles = await crashOnce(scenario, interleaving, calm, options, tally)
    await crashTwice(scenario, interleaving, calm, singles, options, tally)
    if (options.stops === true && calm.onceTools.size > 0) await stopOnce(scenario, interleaving, calm, options, tally)
  }
  return tally.report()
}

interface Single {
  readonly point: CrashPoint
  /** The number of writes of the process that continued. */
  readonly writes: number
}

async function crashOnce(
  scenario: CrashScenario,
  interleaving: Interleaving,
  calm: Trial,
  options: CrashWalkOptions,
  tally: Tally,
): Promise<readonly Single[]> {
  const singles: Single[] = []
  for (const point of pointsUpTo(calm.writes[0] ?? 0)) {
    const crashed = await runTrial(scenario, interleaving, [point], options)
    tally.add(crashed, compareTrials(calm, crashed), [point], interleaving)
    singles.push({ point, writes: crashed.writes[1] ?? 0 })
  }
  return singles
}

/** Tries `maxPairs` pairs of crash points, spread evenly over all pairs. */
async function crashTwice(
  scenario: CrashScenario,
  interleaving: Interleaving,
  calm: Trial,
  singles: readonly Single[],
  { maxPairs = 0, ...options }: CrashWalkOptions,
  tally: Tally,
): Promise<void> {
  const share = Math.ceil(maxPairs / interleavingsOf(scenario.parallel ?? []).length)
  const pairs = singles.flatMap(({ point, writes }) => pointsUpTo(writes).map((second) => [point, second] as const))
  const step = Math.max(1, pairs.length / Math.max(1, share))
  for (let place = 0; place < Math.min(share, pairs.length); place++) {
    const crashes = pairs[Math.floor(place * step)] ?? []
    const crashed = await runTrial(scenario, interleaving, crashes, options)
    tally.add(crashed, compareTrials(calm, crashed), crashes, interleaving)
  }
}

/** Lets another process take over after the stopped one's lease has expired, and finish the run before the wake. */
async function stopOnce(
  scenario: CrashScenario,
  interleaving: Interleaving,
  calm: Trial,
  options: CrashWalkOptions,
  tally: Tally,
): Promise<void> {
  for (let write = 1; write <= (calm.writes[0] ?? 0); write++) {
    const point = { write, side: 'stopped' } as const
    const stopped = await runTrial(scenario, interleaving, [point], options)
    tally.add(stopped, compareTrials(calm, stopped), [point], interleaving)
  }
}

class Tally {
  readonly #scenario: string
  readonly #findings: CrashFinding[] = []
  #points = 0
  #pairs = 0
  #stops = 0
  #takeovers = 0

  constructor({ name }: CrashScenario) {
    this.#scenario = name
  }

  add(
    { takeovers }: Trial,
    problems: readonly CrashProblem[],
    crashes: readonly CrashPoint[],
    interleaving: Interleaving,
  ): void {
    if (crashes[0]?.side === 'stopped') this.#stops++
    else if (crashes.length === 1) this.#points++
    if (crashes.length === 2) this.#pairs++
    this.#takeovers += takeovers
    this.#findings.push(...problems.map((problem) => ({ ...problem, scenario: this.#scenario, crashes, interleaving })))
  }

  report(): CrashReport {
    const count = (kind: CrashProblem['kind']) => this.#findings.filter((finding) => finding.kind === kind).length
    return {
      scenario: this.#scenario,
      points: this.#points,
      pairs: this.#pairs,
      stops: this.#stops,
      takeovers: this.#takeovers,
      lost: count('lost'),
      doubled: count('doubled'),
      findings: this.#findings,
    }
  }
}
