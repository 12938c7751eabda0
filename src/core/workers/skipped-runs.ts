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
export class SkippedRuns {
  readonly #options: SkippedRunsOptions
  readonly #runIds = new Set<string>()
  readonly #agents = new Set<string>()
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(options: SkippedRunsOptions) {
    this.#options = options
  }

  get runIds(): readonly string[] {
    return [...this.#runIds]
  }

  add(runId: string, agent: string, problem: string): void {
    this.#runIds.add(runId)
    const [oldest] = this.#runIds
    if (this.#runIds.size > mostRuns && oldest !== undefined) this.#runIds.delete(oldest)
    this.#options.report.tell({ type: 'left', runId, agent, problem })
  }

  /** Reports unknown agents whose runs have no driver; searches at most once per interval. */
  async look(): Promise<void> {
    const { store, cores, clock, report } = this.#options
    const now = clock.now()
    if (now - this.#lookedAt < lookMs) return
    this.#lookedAt = now
    const known = new Set([...cores.map(({ name }) => name), ...this.#agents])
    for (const run of await store.list({ status: 'running', limit: mostLooked })) {
      if ('damaged' in run || known.has(run.agent)) continue
      if ((await store.record(run.id)).isDriven) continue
      known.add(run.agent)
      this.#agents.add(run.agent)
      const problem = `Nobody drives run "${run.id}" of the agent "${run.agent}", which this worker does not know.`
      report.tell({ type: 'left', agent: run.agent, runId: run.id, problem })
    }
  }
}
