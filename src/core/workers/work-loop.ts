import { deliverEnds } from '../family/deliver-ends.ts'
import { isParent } from '../family/lineage.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { wantedVersion } from '../driving/agent-version.ts'
import { isDrivenElsewhere } from '../driving/is-resting.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import type { ClaimedWork, Postponement } from '../ports/work.ts'
import { type Moment, momentOf } from '../runtime/held-lease.ts'
import { Waker, type Listening } from '../driving/waker.ts'
import { claimFairly } from './claim-fairly.ts'
import { type DriveEnd, driveWork, giveBack, postponeRun } from './drive-work.ts'
import { isSuspect, judgeFailure, judgeWork } from './judge-work.ts'
import { skippedRuns } from './skipped-runs.ts'
import type { WorkerSettings } from './worker-options.ts'
import type { WorkerReport } from './worker-report.ts'

interface WorkLoopOptions extends Omit<WorkerSettings, 'ids' | 'queueLimit'> {
  readonly report: WorkerReport
}

interface FoundRun extends ClaimedWork {
  readonly core: AgentCore
  readonly since: Moment
}

interface DrivenRun {
  readonly core: AgentCore
  readonly isSuspect: boolean
  readonly end: Promise<void>
}

/** Finds and drives work after a notification, when a timer is due, and at a regular interval. */
export class WorkLoop {
  readonly #options: WorkLoopOptions
  readonly #waker = new Waker()
  readonly #noMore = new AbortController()
  readonly #stopping = new AbortController()
  readonly #driven = new Map<string, DrivenRun>()
  readonly #skipped: ReturnType<typeof skippedRuns>
  #isIdle = false
  #loop: Promise<void> = Promise.resolve()

  constructor(options: WorkLoopOptions) {
    this.#options = options
    this.#skipped = skippedRuns(options)
  }

  begin(): void {
    this.#loop = this.#run()
  }

  /** Claims no more runs. Running runs have `drainMs` milliseconds to rest, and are then stopped. */
  async drain(drainMs: number): Promise<void> {
    this.#noMore.abort()
    await this.#loop
    const { clock } = this.#options
    const drained = new AbortController()
    const isOver = clock.sleepUntil(clock.now() + drainMs, drained.signal)
    const ends = Promise.all([...this.#driven.values()].map(({ end }) => end))
    await Promise.race([isOver, ends])
    drained.abort()
    this.#stopping.abort()
    await ends
  }

  async #run(): Promise<void> {
    const stopWatching = this.#options.store.watch(undefined, () => this.#waker.wake())
    try {
      while (!this.#noMore.signal.aborted) {
        const woken = this.#waker.listen()
        if ((await this.#look()) === 0) await this.#rest(woken)
      }
    } finally {
      stopWatching()
    }
  }

  async #look(): Promise<number> {
    const free = this.#options.concurrency - this.#driven.size
    if (free === 0) return 0
    try {
      if (this.#options.cores.some(isParent))
        await deliverEnds({ ...this.#options, begin: this.#beginForResults, handOver: this.#handOver })
      const found = await this.#claim(free)
      for (const run of found) this.#take(run)
      if (found.length === 0) await this.#skipped.look()
      return found.length
    } catch (error) {
      this.#tellUnreachable(error)
      return 0
    }
  }

  readonly #beginForResults = async (agent: string, sessionId: string): Promise<boolean> => {
    const core = this.#options.cores.find(({ name }) => name === agent)
    if (core === undefined) throw new Error(`This worker does not know the agent "${agent}".`)
    const { beginForResults } = await import('../agent/begin-for-results.ts')
    return beginForResults(core, sessionId)
  }

  readonly #handOver = async (runId: string): Promise<void> => {
    const { store, cores } = this.#options
    const { handOver } = await import('../family/begin-handover.ts')
    await handOver(store, runId, (agent) => cores.find(({ name }) => name === agent))
  }

  #claim(free: number): Promise<readonly FoundRun[]> {
    const { store, cores } = this.#options
    const shares = cores
      .filter(({ openRuns }) => !openRuns.closing.aborted)
      .map((core) => ({
        driven: [...this.#driven.values()].filter((driven) => driven.core === core).length,
        claim: async (limit: number) => {
          const since = momentOf(core.clock)
          const found = await store.claimNext({
            agents: [core.name],
            ...wantedVersion(core),
            now: since.wall,
            limit,
            owner: core.newOwner(),
            ttlMs: core.leaseMs,
            except: [...this.#skipped.runIds, ...this.#driven.keys()],
          })
          return found.map((work) => ({ ...work, core, since }))
        },
      }))
    return claimFairly(shares, free, (error) => this.#tellUnreachable(error))
  }

  #take(found: FoundRun): void {
    const { report, clock, maxFailures } = this.#options
    const { lease, core, failures } = found
    const { runId } = lease
    const isSuspectDriven = [...this.#driven.values()].some((driven) => driven.isSuspect)
    const postponement = judgeWork(found, { now: clock.now(), maxFailures, isSuspectDriven })
    this.#isIdle = false
    const end = (postponement === undefined ? this.#drive(found) : this.#postpone(found, postponement)).finally(() => {
      this.#driven.delete(runId)
      report.drives(this.#driven.size)
      this.#waker.wake()
    })
    this.#driven.set(runId, { core, isSuspect: postponement === undefined && isSuspect(found), end })
    report.drives(this.#driven.size)
    if (postponement === undefined) report.tell({ type: 'claimed', runId, agent: core.name, failures })
  }

  async #drive({ lease, run, core, since, failures }: FoundRun): Promise<void> {
    if ('damaged' in run) return
    const end = await driveWork(
      core,
      { lease, run, since },
      { noMore: this.#noMore.signal, stopping: this.#stopping.signal },
    )
    await this.#tellEnd({ core, lease, failures }, end)
  }

  async #tellEnd(
    { core, lease, failures }: Pick<FoundRun, 'core' | 'lease' | 'failures'>,
    end: DriveEnd,
  ): Promise<void> {
    const { report, clock, maxFailures } = this.#options
    const { name: agent } = core
    const { runId } = lease
    switch (end.kind) {
      case 'released':
        return report.tell({ type: 'released', runId, agent, status: end.status })
      case 'left':
        return this.#skipped.add(runId, agent, end.problem)
      case 'failed': {
        const { problem, isLost } = end
        if (!isLost && !this.#noMore.signal.aborted && !core.openRuns.closing.aborted) {
          return this.#postpone({ core, lease }, judgeFailure(failures + 1, problem, { now: clock.now(), maxFailures }))
        }
        await giveBack(core, lease)
        return report.tell({ type: 'failed', runId, agent, problem, failures })
      }
    }
  }

  async #postpone({ core, lease }: Pick<FoundRun, 'core' | 'lease'>, postponement: Postponement): Promise<void> {
    try {
      await postponeRun(core, this.#options.store, { lease, postponement })
      this.#tellFailed(core, lease.runId, postponement)
    } catch (error) {
      // If another process has claimed the run, that process handles it.
      if (!isDrivenElsewhere(error)) this.#tellUnreachable(error)
    }
  }

  #tellUnreachable(error: unknown): void {
    this.#options.report.tell({ type: 'unreachable', problem: thrownText(error) })
  }

  #tellFailed({ name: agent }: AgentCore, runId: string, { until, failures, problem }: Postponement): void {
    const when = until === undefined ? { aside: true as const } : { until }
    this.#options.report.tell({ type: 'failed', runId, agent, problem, failures, ...when })
  }

  /** Waits for a notification of work, a free place, a due timer or the next regular check. */
  async #rest(woken: Listening): Promise<void> {
    const { clock, pollMs, report } = this.#options
    if (this.#driven.size === 0 && !this.#isIdle) {
      this.#isIdle = true
      report.tell({ type: 'idle' })
    }
    const now = clock.now()
    const due = (await this.#nextDue()) ?? Number.POSITIVE_INFINITY
    // Work that is due but was not claimed is held by another process, or the store is unavailable; wait for the next
    // regular check.
    const until = due > now ? Math.min(due, now + pollMs) : now + pollMs
    await woken.within(clock, until, this.#noMore.signal)
  }

  async #nextDue(): Promise<number | undefined> {
    const { store, cores } = this.#options
    try {
      return await store.nextDue(cores.map(({ name }) => name))
    } catch {
      return undefined
    }
  }
}
