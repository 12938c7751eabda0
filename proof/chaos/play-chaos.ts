import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Agent } from '../../src/index.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { randomFrom } from '../support/random.ts'
import { transcriptOf } from '../support/read-run.ts'
import { chaosAgent } from './chaos-agent.ts'
import { StallWatch } from './stall-watch.ts'
import { WorkerProcesses } from './worker-processes.ts'

/** How much is to be played. */
export interface ChaosPlan {
  readonly runs: number
  readonly faults: number
  readonly seed: number
}

/** What came of a setting. */
export interface ChaosReport {
  readonly name: string
  readonly runs: number
  readonly faults: number
  /** Runs that did not come to their one end, with what is wrong. */
  readonly lost: number
  /** Payments made more than once. */
  readonly doubled: number
  readonly longestStallMs: number
  readonly problems: readonly string[]
}

const mostOpen = 10
const workers = 3

/** Runs on one SQLite file that nobody but worker processes drives, while these are killed and stopped. */
export async function playSqlite(folder: string, plan: ChaosPlan): Promise<ChaosReport> {
  const store = sqliteStore(join(folder, 'runs.db'))
  const journal = join(folder, 'journal')
  const agent = chaosAgent(store, journal)
  const processes = new WorkerProcesses(folder, randomFrom(plan.seed))
  const stalls = new StallWatch()
  await processes.begin(workers)
  let faults = 0
  const faulting = (async () => {
    while (faults < plan.faults && processes.failure === undefined) {
      await processes.fault()
      faults++
      // A run that is hit again at once stands still for two faults, which says nothing of either.
      await pause(300)
    }
  })()
  let begun = 0
  const problems: string[] = []
  for (;;) {
    const open = await openRuns(agent, store, stalls)
    const wanted = faults < plan.faults || begun < plan.runs
    if (wanted && open < mostOpen) await agent.start('Pay.', { runId: `run-${begun++}`, drive: false }).result()
    else if (!wanted && open === 0) break
    if (processes.failure !== undefined) break
    await pause(10)
  }
  await faulting
  const codes = await processes.end()
  if (processes.failure !== undefined) problems.push(`A worker has failed: ${processes.failure}`)
  if (codes.some((code) => code !== 0)) problems.push(`Drained workers ended with ${codes.join(', ')}.`)
  const paid = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').filter(Boolean) : []
  const ids = Array.from({ length: begun }, (_, index) => `run-${index}`)
  for (const id of ids) problems.push(...(await problemsOf(store, id, paid)))
  await store.close()
  const doubled = ids.filter((id) => paid.filter((other) => other === id).length > 1).length
  const longestStallMs = Math.round(stalls.longestMs)
  return {
    name: 'SQLite, many processes',
    runs: begun,
    faults,
    lost: problems.length,
    doubled,
    longestStallMs,
    problems,
  }
}

/** Answers what waits, and watches what is to be driven; gives how many runs are not done. */
async function openRuns(agent: Agent, store: ReturnType<typeof sqliteStore>, stalls: StallWatch): Promise<number> {
  const running = await store.list({ status: 'running' })
  const waiting = await store.list({ status: 'waiting' })
  for (const record of [...running, ...waiting]) {
    if ('damaged' in record) continue
    const run = await agent.load(record.id)
    const suspended = (await store.calls(record.id)).find(({ record: one }) => one.status === 'suspended')?.record
    const isAsked =
      record.status === 'waiting' && suspended !== undefined && (await store.inbox(record.id, 0)).length === 0
    if (isAsked) {
      stalls.rests(record.id)
      // Whether it was paid nobody knows where the process died: it is not paid again.
      if (suspended.suspension?.reason === 'interrupted') await run.respond(suspended.callId, 'paid')
      else await run.approve(suspended.callId)
    } else stalls.see(record, performance.now())
  }
  return running.length + waiting.length
}

async function problemsOf(
  store: ReturnType<typeof sqliteStore>,
  id: string,
  paid: readonly string[],
): Promise<readonly string[]> {
  const { status, doneReason } = await store.record(id)
  if (status !== 'done' || doneReason !== 'natural_end') return [`${id} is ${status} (${doneReason}).`]
  const transcript = await transcriptOf(store, id)
  const wasInterrupted = (await store.decisions(id)).length > 1
  if (!wasInterrupted && !paid.includes(id)) return [`${id} is done and was not paid.`]
  return transcript.length === 8 ? [] : [`${id} has another transcript: ${transcript.join(' | ')}`]
}
