import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Agent, Run, Store } from '../../src/index.ts'
import type { RunRecord } from '../../src/core/domain/run-record.ts'
import type { DamagedRun } from '../../src/core/ports/store-lists.ts'
import { childOf } from '../../src/core/family/deliver-ends.ts'
import { randomFrom } from '../support/random.ts'
import { addMore, askedAt } from '../support/answer-root.ts'
import { judgeFamily, membersOf } from '../support/judge-family.ts'
import { headsOf, payingAgents } from '../support/paying-family.ts'
import { showProgress } from '../support/progress.ts'
import { openStore } from '../support/store-place.ts'
import { chaosParts } from './chaos-agent.ts'
import { FaultSeries } from './fault-series.ts'
import type { ChaosSetting } from './settings.ts'
import { StallWatch } from './stall-watch.ts'
import { WorkerProcesses } from './worker-processes.ts'

/** The amount of work to play. */
export interface ChaosPlan {
  readonly runs: number
  readonly faults: number
  readonly seed: number
  /** Milliseconds after which a run that stands still counts as lost. */
  readonly patienceMs: number
  /** The bug that the workers' store is given. */
  readonly plant: string | undefined
}

/** The result of a setting. */
export interface ChaosReport {
  readonly name: string
  readonly runs: number
  /** Those of the runs that are the root of a family. */
  readonly families: number
  readonly faults: number
  /** Runs that did not come to their one end, with what is wrong. */
  readonly lost: number
  /** Runs that have paid more than once, and accounts that one answer was added to more than once. */
  readonly doubled: number
  readonly longestStallMs: number
  /** The longest time that a call waited for a child that had ended. */
  readonly longestUntoldMs: number
  /** The number of faults of each kind, and those of the longest stall. */
  readonly told: string
  readonly problems: readonly string[]
}

const mostOpen = 10
const workers = 3

/** Runs that nobody but worker processes drives, every other one the root of a family, while one fault after the other strikes. */
export async function playChaos(setting: ChaosSetting, folder: string, plan: ChaosPlan): Promise<ChaosReport> {
  const { runs, faults, seed, patienceMs, plant } = plan
  const journal = join(folder, 'journal')
  const random = randomFrom(seed)
  const place = await setting.open(folder)
  const store = openStore(place.address, plant)
  const parts = chaosParts(store, journal)
  const [payer] = payingAgents(parts)
  const heads = headsOf(parts)
  const given = [folder, place.address, ...(plant === undefined ? [] : [plant])]
  const processes = new WorkerProcesses(given, random)
  const series = new FaultSeries(place.deck, random)
  const stalls = new StallWatch()
  const untold = new StallWatch()
  await processes.begin(workers)
  let isPlayed = false
  const isTooLate = () => Math.max(stalls.longestMs, untold.longestMs) > patienceMs
  const isOver = () => isPlayed || processes.failure !== undefined || isTooLate()
  const faulting = (async () => {
    // Nothing is hit before there is something to hit.
    while (!existsSync(journal) && !isOver()) await pause(20)
    while (series.count < faults && !isOver()) {
      const until = await series.strike(processes)
      // A run that is hit again before it goes on stands still for two faults, which says nothing of either.
      do await pause(300)
      while (stalls.isStillSince(until) && !isOver())
    }
  })()
  let begun = 0
  while (!isOver()) {
    const open = await openRuns([payer, heads[0] ?? payer], store, { stalls, untold })
    showProgress(`${begun - open} runs done, ${open} open, ${series.count} of ${faults} faults`)
    const wanted = series.count < faults || begun < runs
    if (wanted && open < Math.min(mostOpen, runs)) {
      const head = begun % 2 === 0 ? undefined : heads[((begun - 1) / 2) % heads.length]
      await (head ?? payer).start('Pay.', { runId: `run-${begun}`, drive: false }).result()
      begun++
    } else if (!wanted && open === 0 && (await areDone(store, begun))) break
    await pause(10)
  }
  // Nobody looks any more at which runs stand still.
  isPlayed = true
  await faulting
  const codes = await processes.end()
  const problems: string[] = []
  if (processes.failure !== undefined) problems.push(`A worker has failed: ${processes.failure}`)
  if (codes.some((code) => code !== 0)) problems.push(`Drained workers ended with ${codes.join(', ')}.`)
  const paid = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').filter(Boolean) : []
  const payments = Map.groupBy(paid, (id) => id)
  const paymentsOf = (id: string) => payments.get(id)?.length ?? 0
  let families = 0
  const doubled: string[] = []
  for (const id of Array.from({ length: begun }, (_, index) => `run-${index}`)) {
    const members = await membersOf(store, id)
    const judged = await judgeFamily(store, { members, paymentsOf })
    problems.push(...judged.lost)
    doubled.push(...judged.doubled)
    if (members.length > 1) families++
  }
  await store.close()
  await place.close()
  return {
    name: setting.name,
    runs: begun,
    families,
    faults: series.count,
    lost: problems.length,
    doubled: doubled.length,
    longestStallMs: Math.round(stalls.longestMs),
    longestUntoldMs: Math.round(untold.longestMs),
    told: `${series.told}; ${toldStall(stalls, series)}`,
    problems: [...problems, ...doubled].slice(0, 20),
  }
}

/** A run that changes its state between two lists is in none of them. */
async function areDone(store: Store, begun: number): Promise<boolean> {
  for (let index = 0; index < begun; index++) if ((await store.record(`run-${index}`)).status !== 'done') return false
  return true
}

function toldStall({ longest }: StallWatch, series: FaultSeries): string {
  if (longest === undefined) return 'no run stood still'
  const { runId, version, from, until } = longest
  return `the longest stall was of ${runId} at version ${version}, beside ${series.between(from, until).join(', ')}`
}

interface Watches {
  /** The longest stall of runs that somebody has to drive. */
  readonly stalls: StallWatch
  /** The longest stall of runs that nobody has told of the end of a child. */
  readonly untold: StallWatch
}

/** Answers what waits, and watches what is to be driven; gives how many runs that are no members are not done. */
async function openRuns([payer, head]: readonly [Agent, Agent], store: Store, watches: Watches): Promise<number> {
  const { stalls, untold } = watches
  const running = await store.list({ status: 'running' })
  const waiting = await store.list({ status: 'waiting' })
  const open = [...running, ...waiting]
  for (const watch of [stalls, untold]) watch.keep(new Set(open.map(({ id }) => id)))
  for (const record of open) {
    if ('damaged' in record) continue
    const awaited = record.status === 'waiting' ? await awaitedBy(store, record.id) : 'a driver'
    if (awaited === 'a driver') stalls.see(record, performance.now())
    else stalls.rests(record.id)
    const isRoot = awaited === 'an answer' && !isMember(record)
    const run = isRoot ? await (record.agent === 'head' ? head : payer).load(record.id) : undefined
    // If nobody asks, a member goes on. If no member does, the family waits for a message.
    const isUntold = run === undefined ? awaited === 'the message of an end' : (await answer(run)) === 0
    if (isUntold) untold.see({ id: record.id, version: versionOf(open, record.id) }, performance.now())
    else untold.rests(record.id)
  }
  return open.filter((record) => !isMember(record)).length
}

/** A number that changes with each commit of an open run of a family. */
function versionOf(open: readonly (RunRecord | DamagedRun)[], root: string): number {
  const members = open.filter(({ id }) => id === root || id.startsWith(`${root}.`))
  return members.reduce((sum, record) => sum + ('damaged' in record ? 0 : record.version), 0)
}

function isMember({ id }: { readonly id: string }): boolean {
  return id.includes('.')
}

/** Returns what a waiting run goes on with. */
async function awaitedBy(store: Store, id: string): Promise<'a driver' | 'the message of an end' | 'an answer'> {
  if ((await store.inbox(id, { isOpen: true })).length > 0) return 'a driver'
  const calls = (await store.calls(id, [])).map(({ record }) => record)
  if (calls.every(({ status }) => status !== 'suspended')) return 'a driver'
  const children = await Promise.all(calls.flatMap((call) => childOf(call) ?? []).map((child) => store.record(child)))
  return children.some(({ status }) => status === 'done') ? 'the message of an end' : 'an answer'
}

/** Answers what a run and its members ask, at the run; gives the number of questions. */
async function answer(run: Run): Promise<number> {
  const asked = await askedAt(run)
  for (const one of asked) {
    if (one.reason === 'limit') await addMore(run, one)
    // Nobody knows whether a call was paid if its process died during the payment: it is not paid again.
    else if (one.reason === 'interrupted') await run.respond(one.target, 'paid')
    else await run.approve(one.target)
  }
  return asked.length
}
