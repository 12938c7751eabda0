import type { AgentCore } from '../driving/agent-core.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { WorkerReport } from './worker-report.ts'

interface SkippedRunsOptions {
  readonly store: Store
  readonly cores: readonly AgentCore[]
  readonly clock: Clock
  readonly report: WorkerReport
}

/** The maximum number of remembered runs. Older runs are forgotten and may be found again. */
const mostRuns = 1000
/** The interval of the search for runs of unknown agents, in milliseconds, and the maximum of runs it reads. */
const lookMs = 60_000
const mostLooked = 100

/** The runs that a worker leaves to other processes, each reported once. */
export function skippedRuns({ store, cores, clock, report }: SkippedRunsOptions) {
  const runIds = new Set<string>()
  const agents = new Set<string>()
  let lookedAt = Number.NEGATIVE_INFINITY

  function add(runId: string, agent: string, problem: string): void {
    runIds.add(runId)
    const [oldest] = runIds
    if (runIds.size > mostRuns && oldest !== undefined) runIds.delete(oldest)
    report.tell({ type: 'left', runId, agent, problem })
  }

  /** Reports unknown agents whose runs have no driver; searches at most once per interval. */
  async function look(): Promise<void> {
    const now = clock.now()
    if (now - lookedAt < lookMs) return
    lookedAt = now
    const known = new Set([...cores.map(({ name }) => name), ...agents])
    for (const run of await store.list({ status: 'running', limit: mostLooked })) {
      if ('damaged' in run || known.has(run.agent)) continue
      if ((await store.record(run.id)).isDriven) continue
      known.add(run.agent)
      agents.add(run.agent)
      const problem = `Nobody drives run "${run.id}" of the agent "${run.agent}", which this worker does not know.`
      report.tell({ type: 'left', agent: run.agent, runId: run.id, problem })
    }
  }

  return { runIds: runIds as ReadonlySet<string>, add, look }
}
