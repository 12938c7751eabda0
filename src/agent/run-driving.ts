import { changingKinds } from '../domain/inbox.ts'
import { StoreError } from '../domain/store-error.ts'
import { UsageError } from '../domain/usage-error.ts'
import type { Store } from '../ports/store.ts'
import type { Drive } from '../runtime/drive.ts'
import type { DriveRest } from '../runtime/drive-options.ts'
import { momentOf, type TakenLease } from '../runtime/held-lease.ts'
import type { AgentCore } from './agent-core.ts'

/** How this process comes to drive a run. */
export interface DriveOpening {
  /** The lease the run was stored under. Default: it is claimed. */
  readonly taken?: TakenLease | undefined
  /** Drives the run even where an agent of another name started it. */
  readonly adopts?: boolean
}

/** The drive this process has of a run, shared by all who ask for it: the one under way, or a new one. */
export function openDriving(core: AgentCore, runId: string, opening: DriveOpening = {}): RunDriving {
  const current = core.openRuns.get(runId)
  if (current === undefined) return new RunDriving(core, runId, opening)
  current.askAgain()
  return current
}

/** Drives one run for this process: takes its lease, drives it to rest as long as there is news, tells its events. */
export class RunDriving {
  /** Resolves once this process holds the lease, or the run is done; rejects where it may not drive it. */
  readonly isBegun: Promise<void>
  /** How the run came to rest; undefined where this process did not bring it there. */
  readonly rest: Promise<DriveRest | undefined>
  readonly #core: AgentCore
  readonly #runId: string
  readonly #begun = Promise.withResolvers<void>()
  #drive: Drive | undefined
  /** False until the tools are there, and between two drives. */
  #isDriving = false
  #isDetaching = false
  #isAskedAgain = false
  #stopWaiting: () => void = () => {}

  constructor(core: AgentCore, runId: string, opening: DriveOpening) {
    this.#core = core
    this.#runId = runId
    this.isBegun = this.#begun.promise
    this.isBegun.catch(() => undefined)
    this.rest = this.#driveToRest(opening)
    this.rest.catch(() => undefined)
  }

  /** Somebody may have stored something for the run: it is looked for once more before this drive is over. */
  askAgain(): void {
    this.#isAskedAgain = true
  }

  /** Launches nothing more, and stops driving once what is under way has come back. */
  async drain(): Promise<void> {
    if (!this.#isDriving) return this.detach()
    this.#isDetaching = true
    this.#drive?.drain()
    await this.rest.catch(() => undefined)
  }

  /** Stops driving and gives the lease back. */
  async detach(): Promise<void> {
    this.#isDetaching = true
    this.#stopWaiting()
    this.#drive?.detach()
    await this.rest.catch(() => undefined)
  }

  /** Nothing may come between the last look at the inbox and the end of the drive, or whoever shares it waits in vain. */
  async #driveToRest({ taken, adopts = false }: DriveOpening): Promise<DriveRest | undefined> {
    const { openRuns, store } = this.#core
    try {
      if (openRuns.closing.aborted && taken !== undefined) await store.release(taken.lease)
      openRuns.refuseIfClosed()
      openRuns.add(this.#runId, this)
      let rest = await this.#driveOnce(taken, adopts)
      let mayHaveNews = true
      while (rest?.status === 'waiting' && !this.#isDetaching && (mayHaveNews || this.#isAskedAgain)) {
        this.#isAskedAgain = false
        mayHaveNews = await hasNews(store, this.#runId)
        if (!mayHaveNews) continue
        const next = await this.#driveAgain(adopts)
        if (next === 'elsewhere') return rest
        rest = next
      }
      return rest
    } catch (error) {
      this.#begun.reject(error)
      throw error
    } finally {
      if (openRuns.get(this.#runId) === this) openRuns.delete(this.#runId)
    }
  }

  async #driveOnce(opened: TakenLease | undefined, adopts: boolean): Promise<DriveRest | undefined> {
    if (opened === undefined) {
      const { status, agent } = await this.#core.store.record(this.#runId)
      if (status === 'done') {
        this.#begun.resolve()
        return undefined
      }
      if (agent !== this.#core.name && !adopts) throw otherAgent(this.#runId, agent, this.#core.name)
    }
    const taken = opened ?? (await this.#claim())
    this.#begun.resolve()
    if (this.#isDetaching) {
      await this.#core.store.release(taken.lease)
      return undefined
    }
    const drive = this.#core.openDrive(taken, (event) => this.#core.watchers.tell(event))
    this.#drive = drive
    const opening = this.#core.parts.tools.open()
    if (opening !== undefined) await this.#waitFor(opening, drive)
    this.#isDriving = true
    try {
      return await drive.run()
    } finally {
      this.#isDriving = false
    }
  }

  /**
   * Nothing is driven before the tools are there, so that a run whose tools cannot be had stays as it is; one that is
   * cancelled meanwhile needs none. The drive holds the lease as long as that takes.
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
      const rows = await this.#core.store.inbox(this.#runId, 0)
      return rows.some(({ item }) => item.kind === 'cancel')
    } catch {
      // Driving the run meets the error where it can be told.
      return true
    }
  }

  /** Who came first drives; the news is stored for either. */
  async #driveAgain(adopts: boolean): Promise<DriveRest | undefined | 'elsewhere'> {
    try {
      return await this.#driveOnce(undefined, adopts)
    } catch (error) {
      if (!isDrivenElsewhere(error)) throw error
      return 'elsewhere'
    }
  }

  /** A refusal comes a turn of the event loop later, so that who tries again at once starves no timer. */
  async #claim(): Promise<TakenLease> {
    const { store, leaseMs, clock } = this.#core
    const since = momentOf(clock)
    try {
      return { since, lease: await store.claim(this.#runId, this.#core.newOwner(), leaseMs, since.wall) }
    } catch (error) {
      await new Promise((resolve) => setImmediate(resolve))
      throw error
    }
  }
}

/** True where a waiting run was sent something it goes on for: also after its commit of `waiting`, before the lease was given back. */
export async function hasNews(store: Store, runId: string): Promise<boolean> {
  const { status } = await store.record(runId)
  if (status !== 'waiting') return false
  const rows = await store.inbox(runId, 0)
  return rows.some(({ item }) => changingKinds.has(item.kind))
}

/** True where the lease of a run is another's. */
export function isDrivenElsewhere(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'run_is_driven'
}

/** Its tools, limits and instructions are not those the run was begun with. */
function otherAgent(runId: string, agent: string, name: string): UsageError {
  const advice = `Drive it with the agent "${agent}", or take it over: load("${runId}", { adopt: true }).`
  return new UsageError(
    'other_agent',
    `Run "${runId}" belongs to the agent "${agent}"; this one is "${name}". ${advice}`,
  )
}
