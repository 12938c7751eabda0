import { nextLoopTurn } from '../domain/text/platform.ts'
import { type FoundLease, StoreError } from '../domain/store-error.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { waitUntil } from '../ports/clock.ts'
import type { ClaimedRun } from '../ports/store.ts'
import type { Drive } from '../runtime/drive.ts'
import type { DriveRest } from '../runtime/drive-options.ts'
import { type Moment, momentOf, type TakenLease } from '../runtime/held-lease.ts'
import type { AgentCore } from './agent-core.ts'
import { keptFor } from './agent-version.ts'
import { hasNews, isDrivenElsewhere } from './is-resting.ts'
import type { OpenDriving } from './open-runs.ts'
import { atSecondLook } from './second-look.ts'

/** The lease and the agent with which this process begins to drive a run. */
export interface DriveOpening {
  /** The lease the run was stored under. Default: it is claimed. */
  readonly taken?: TakenLease | undefined
  /** Name of the agent that started the run. Default: this one. */
  readonly agent?: string | undefined
  /** Drives the run even if an agent of another name started it. */
  readonly adopts?: boolean
}

/**
 * Returns this process's drive of a run, shared by all callers: the current one, or a new one. A caller that brings the
 * lease under which the run was stored drives it, because another drive would find the lease taken.
 */
export function openDriving(core: AgentCore, runId: string, opening: DriveOpening = {}): OpenDriving {
  const current = core.openRuns.get(runId)
  if (current === undefined || opening.taken !== undefined) return new RunDriving(core, runId, opening)
  current.askAgain()
  return current
}

/** Drives one run in this process: takes its lease, drives it to rest while there is news, and emits its events. */
class RunDriving implements OpenDriving {
  readonly isBegun: Promise<void>
  readonly rest: Promise<DriveRest | undefined>
  createdAt: number | undefined
  readonly #core: AgentCore
  readonly #runId: string
  readonly #agent: string
  readonly #adopts: boolean
  readonly #begun = Promise.withResolvers<void>()
  #drive: Drive | undefined
  /** False until the tools are open, and between two drives. */
  #isDriving = false
  #isDetaching = false
  #isAskedAgain = false
  #stopWaiting: () => void = () => {}
  /** Stops waiting for background work of the run. */
  #wake: () => void = () => {}

  constructor(core: AgentCore, runId: string, { agent = core.name, adopts = false, taken }: DriveOpening) {
    this.#core = core
    this.#agent = agent
    this.#adopts = adopts
    this.#runId = runId
    this.isBegun = this.#begun.promise
    this.isBegun.catch(() => undefined)
    this.rest = this.#driveToRest(taken)
    this.rest.catch(() => undefined)
  }

  askAgain(): void {
    this.#isAskedAgain = true
    this.#wake()
  }

  async drain(): Promise<void> {
    if (!this.#isDriving) return this.detach()
    this.#isDetaching = true
    this.#drive?.drain()
    await this.rest.catch(() => undefined)
  }

  async detach(): Promise<void> {
    this.#isDetaching = true
    this.#stopWaiting()
    this.#wake()
    this.#drive?.detach()
    await this.rest.catch(() => undefined)
  }

  /**
   * Nothing may be awaited between the last look at the inbox and the end of the drive; otherwise callers that share
   * the drive could wait forever.
   */
  async #driveToRest(taken: TakenLease | undefined): Promise<DriveRest | undefined> {
    const { openRuns, store } = this.#core
    try {
      if (openRuns.closing.aborted && taken !== undefined) await store.release(taken.lease)
      openRuns.refuseIfClosed()
      openRuns.add(this.#runId, this)
      let rest = await this.#driveOnce(taken)
      let mayHaveNews = rest?.mayHaveNews === true
      while (rest?.status === 'waiting' && !this.#isDetaching) {
        if (!mayHaveNews && !this.#isAskedAgain) {
          const beside = openRuns.workBeside(this.#runId)
          if (beside === undefined) return rest
          await this.#untilNews(beside)
          mayHaveNews = true
          continue
        }
        this.#isAskedAgain = false
        mayHaveNews = await hasNews(store, this.#runId)
        if (!mayHaveNews) continue
        const next = await this.#driveAgain()
        if (next === 'elsewhere') return rest
        rest = next
        mayHaveNews = next?.mayHaveNews === true
      }
      return rest
    } catch (error) {
      this.#begun.reject(error)
      throw error
    } finally {
      if (openRuns.get(this.#runId) === this) openRuns.delete(this.#runId)
    }
  }

  /** Waits until background work of the run is over, or something is stored for the run. */
  async #untilNews(beside: Promise<unknown>): Promise<void> {
    const news = new Promise<void>((resolve) => (this.#wake = resolve))
    const { store } = this.#core
    const unwatch = store.watch(this.#runId, this.#wake)
    try {
      if (!(await hasNews(store, this.#runId))) await Promise.race([beside, news])
    } finally {
      unwatch()
    }
  }

  async #driveOnce(opened: TakenLease | undefined): Promise<DriveRest | undefined> {
    const taken = opened ?? (await this.#claim())
    this.#begun.resolve()
    if (taken === undefined) return undefined
    this.createdAt = taken.run?.record.createdAt
    if (this.#isDetaching) {
      await this.#core.store.release(taken.lease)
      return undefined
    }
    const drive = this.#core.openDrive(taken)
    this.#drive = drive
    const opening = this.#core.parts.tools.open()
    if (opening !== undefined) await this.#waitFor(opening, drive)
    this.#isDriving = true
    try {
      return await drive.run()
    } finally {
      this.#isDriving = false
      this.#core.watchers.driven(this.#runId)
    }
  }

  /**
   * Opens the tools before it drives, so that a run whose tools fail stays unchanged; a cancelled run needs no tools.
   * The drive holds the lease meanwhile.
   */
  async #waitFor(opening: Promise<void>, drive: Drive): Promise<void> {
    const { promise: isOver, resolve: stopWaiting } = Promise.withResolvers<void>()
    this.#stopWaiting = stopWaiting
    const hear = () => void this.#isCancelled().then((isCancelled) => isCancelled && stopWaiting())
    const unwatch = this.#core.store.watch(this.#runId, hear)
    try {
      hear()
      await Promise.race([opening, isOver])
    } catch (error) {
      drive.detach()
      await drive.run().catch(() => undefined)
      throw error
    } finally {
      unwatch()
    }
  }

  async #isCancelled(): Promise<boolean> {
    try {
      const rows = await this.#core.store.inbox(this.#runId, { isOpen: true })
      return rows.some(({ item }) => item.kind === 'cancel')
    } catch {
      // Driving the run meets the error, and can report it.
      return true
    }
  }

  /**
   * Drives the run once more; `elsewhere` if another process has claimed it first. That process reads the new rows from
   * the store.
   */
  async #driveAgain(): Promise<DriveRest | undefined | 'elsewhere'> {
    try {
      return await this.#driveOnce(undefined)
    } catch (error) {
      if (!isDrivenElsewhere(error)) throw error
      return 'elsewhere'
    }
  }

  /**
   * Returns undefined for a finished run. A refusal comes a turn of the event loop later, so that immediate retries do
   * not starve timers.
   */
  async #claim(): Promise<TakenLease | undefined> {
    const { store } = this.#core
    if (this.#isForeign(this.#agent)) return this.#refuseForeign()
    try {
      const { since, lease, run } = await this.#look()
      if (lease === undefined) return undefined
      const kept = this.#adopts ? undefined : keptFor(run.record, this.#core)
      if (!this.#isForeign(run.record.agent) && kept === undefined) return { since, lease, run }
      await store.release(lease)
      if (kept !== undefined) throw leftToWorkers(this.#runId, kept)
      return await this.#refuseForeign()
    } catch (error) {
      await nextLoopTurn()
      throw error
    }
  }

  #look(): Promise<ClaimedRun & { readonly since: Moment }> {
    const { store, leaseMs, clock } = this.#core
    const claim = async (found?: FoundLease) => {
      const since = momentOf(clock)
      return { since, ...(await store.claim(this.#runId, this.#core.newOwner(), leaseMs, found)) }
    }
    return atSecondLook(
      ([found]) => claim(found),
      () => this.#hasWaited(momentOf(clock)),
    )
  }

  /** Waits for the length of a lease by the steady clock. Returns false if this drive is released meanwhile. */
  async #hasWaited({ steady }: Moment): Promise<boolean> {
    const { leaseMs, clock, openRuns } = this.#core
    const stopping = new AbortController()
    this.#stopWaiting = () => stopping.abort()
    const signal = AbortSignal.any([stopping.signal, openRuns.closing])
    for (;;) {
      if (signal.aborted || this.#isDetaching) return false
      const rest = steady + leaseMs - momentOf(clock).steady
      if (rest <= 0) return true
      await waitUntil(clock.now() + rest, clock, signal)
    }
  }

  #isForeign(agent: string): boolean {
    return agent !== this.#core.name && !this.#adopts
  }

  /** A finished run is driven by no agent. */
  async #refuseForeign(): Promise<undefined> {
    const { status, agent } = await this.#core.store.record(this.#runId)
    if (status !== 'done') throw otherAgent(this.#runId, agent, this.#core.name)
  }
}

/** Callers that wait for the run keep waiting, as for a run that another process drives. */
function leftToWorkers(runId: string, kept: string): StoreError {
  const advice = `Workers of that version drive it. To take it over: load("${runId}", { adopt: true }).`
  return new StoreError('run_is_driven', `Run "${runId}" ${kept}. ${advice}`)
}

/** Returns the error for a run of another agent, whose tools, limits and instructions would differ. */
export function otherAgent(runId: string, agent: string, name: string): UsageError {
  const advice = `Drive it with the agent "${agent}", or take it over: load("${runId}", { adopt: true }).`
  return new UsageError(
    'other_agent',
    `Run "${runId}" belongs to the agent "${agent}"; this one is "${name}". ${advice}`,
  )
}
