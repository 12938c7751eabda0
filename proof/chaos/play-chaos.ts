import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Agent, Store } from '../../src/index.ts'
import { randomFrom } from '../support/random.ts'
import { transcriptOf } from '../support/read-run.ts'
import { chaosAgent } from './chaos-agent.ts'
import { FaultSeries } from './fault-series.ts'
import { type ChaosSetting, openStore } from './settings.ts'
import { StallWatch } from './stall-watch.ts'
import { WorkerProcesses } from './worker-processes.ts'

/** How much is to be played. */
export interface ChaosPlan {
  readonly runs: number
  readonly faults: number
  readonly seed: number
  /** Milliseconds that a payment takes. */
  readonly toolMs: number
  /** Milliseconds after which a run that stands still counts as lost. */
  readonly patienceMs: number
  /** The bug that the workers' store is given. */
  readonly plant: string | undefined
}

/** What came of a setting. */
export interface ChaosReport {
  readonly name: string
  readonly runs: number
  readonly faults: number
  /** Runs that did not come to their one end, with what is wrong. */
  readonly lost: number
  /** Runs that were paid more than once. */
  readonly doubled: number
  readonly longestStallMs: number
  /** How often which fault struck, and the faults of the longest stall. */
  readonly told: string
  readonly problems: readonly string[]
}

const mostOpen = 10
const workers = 3

/** Runs that nobody but worker processes drives, while one fault after the other strikes. */
export async function playChaos(setting: ChaosSetting, folder: string, plan: ChaosPlan): Promise<ChaosReport> {
  const { runs, faults, seed, toolMs, patienceMs, plant } = plan
  const journal = join(folder, 'journal')
  const random = randomFrom(seed)
  const place = await setting.open(folder)
  const store = openStore(place.address)
  const agent = chaosAgent(store, { journal, toolMs })
  const given = [folder, place.address, String(toolMs), ...(plant === undefined ? [] : [plant])]
  const processes = new WorkerProcesses(given, random)
  const series = new FaultSeries(place.deck, random)
  const stalls = new StallWatch()
  await processes.begin(workers)
  const isOver = () => processes.failure !== undefined || stalls.longestMs > patienceMs
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
    const open = await openRuns(agent, store, stalls)
    const wanted = series.count < faults || begun < runs
    if (wanted && open < Math.min(mostOpen, runs))
      await agent.start('Pay.', { runId: `run-${begun++}`, drive: false }).result()
    else if (!wanted && open === 0) break
    await pause(10)
  }
  await faulting
  const codes = await processes.end()
  const problems: string[] = []
  if (processes.failure !== undefined) problems.push(`A worker has failed: ${processes.failure}`)
  if (codes.some((code) => code !== 0)) problems.push(`Drained workers ended with ${codes.join(', ')}.`)
  const paid = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').filter(Boolean) : []
  const ids = Array.from({ length: begun }, (_, index) => `run-${index}`)
  for (const id of ids) problems.push(...(await problemsOf(store, id, paid)))
  await store.close()
  await place.close()
  return {
    name: setting.name,
    runs: begun,
    faults: series.count,
    lost: problems.length,
    doubled: ids.filter((id) => paid.filter((other) => other === id).length > 1).length,
    longestStallMs: Math.round(stalls.longestMs),
    told: `${series.told}; ${toldStall(stalls, series)}`,
    problems,
  }
}

function toldStall({ longest }: StallWatch, series: FaultSeries): string {
  if (longest === undefined) return 'no run stood still'
  const { runId, version, from, until } = longest
  return `the longest stall was of ${runId} at version ${version}, beside ${series.between(from, until).join(', ')}`
}

/** Answers what waits, and watches what is to be driven; gives how many runs are not done. */
async function openRuns(agent: Agent, store: Store, stalls: StallWatch): Promise<number> {
  const running = await store.list({ status: 'running' })
  const waiting = await store.list({ status: 'waiting' })
  stalls.keep(new Set([...running, ...waiting].map(({ id }) => id)))
  for (const record of [...running, ...waiting]) {
    if ('damaged' in record) continue
    const run = await agent.load(record.id)
    const suspended = (await store.calls(record.id)).find(({ record: one }) => one.status === 'suspended')?.record
    const isAsked =
      record.status === 'waiting' &&
      suspended !== undefined &&
      (await store.inbox(record.id, { isOpen: true })).length === 0
    if (isAsked) {
      stalls.rests(record.id)
      // Whether it was paid nobody knows where the process died: it is not paid again.
      if (suspended.suspension?.reason === 'interrupted') await run.respond(suspended.callId, 'paid')
      else await run.approve(suspended.callId)
    } else stalls.see(record, performance.now())
  }
  return running.length + waiting.length
}

async function problemsOf(store: Store, id: string, paid: readonly string[]): Promise<readonly string[]> {
  const { status, doneReason } = await store.record(id)
  if (status !== 'done' || doneReason !== 'natural_end') return [`${id} is ${status} (${doneReason}).`]
  const transcript = await transcriptOf(store, id)
  const wasInterrupted = (await store.inbox(id, { kinds: ['decision'] })).length > 1
  if (!wasInterrupted && !paid.includes(id)) return [`${id} is done and was not paid.`]
  return transcript.length === 8 ? [] : [`${id} has another transcript: ${transcript.join(' | ')}`]
}
