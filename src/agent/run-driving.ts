import type { PostReceipt } from '../domain/inbox.ts'
import { nextLoopTurn } from '../domain/platform.ts'
import { StoreError } from '../domain/store-error.ts'
import { UsageError } from '../domain/usage-error.ts'
import type { Drive } from '../runtime/drive.ts'
import type { DriveRest } from '../runtime/drive-options.ts'
import { momentOf, type TakenLease } from '../runtime/held-lease.ts'
import { EventStream } from '../runtime/event-stream.ts'
import type { AgentCore } from './agent-core.ts'

/** How a run comes to be held by this process. */
export interface RunOpening {
  /** Resolves once the run is stored, with the lease it was stored under. Default: it is stored, and held by nobody. */
  readonly opened?: Promise<TakenLease | undefined>
  /** Name of the agent that started the run. Default: this one. */
  readonly agent?: string
  /** Drives the run even where an agent of another name started it. */
  readonly adopts?: boolean
  /** Cancels the run until it has come to rest: fired later, it is no longer meant for it. */
  readonly signal?: AbortSignal
}

/** Drives one run for this process: takes its lease, drives it to rest, tells its events, gives it back. */
export class RunDriving {
  readonly #core: AgentCore
  readonly #runId: string
  readonly #agent: string
  readonly #adopts: boolean
  readonly #streams = new Set<EventStream>()
  #drive: Drive | undefined
  #driving: Promise<DriveRest | undefined> | undefined
  #isDetaching = false
  #stopWaiting: () => void = () => {}
  #forgetSignal: (() => void) | undefined
  #opened: Promise<TakenLease | undefined>

  constructor(core: AgentCore, runId: string, { opened, signal, agent = core.name, adopts = false }: RunOpening) {
    this.#core = core
    this.#agent = agent
    this.#adopts = adopts
    this.#runId = runId
    this.#opened = opened ?? Promise.resolve(undefined)
    this.#opened.catch(() => undefined)
    if (signal !== undefined) this.#cancelOn(signal)
  }

  #cancelOn(signal: AbortSignal): void {
    const cancel = () => void this.cancel().catch(() => undefined)
    if (signal.aborted) return cancel()
    signal.addEventListener('abort', cancel, { once: true })
    this.#forgetSignal = () => signal.removeEventListener('abort', cancel)
  }

  /** Resolves once the run is stored. */
  async isStored(): Promise<void> {
    await this.#opened
  }

  /** How the run came to rest; undefined where this process did not bring it there. */
  driveOn(): Promise<DriveRest | undefined> {
    this.#driving ??= this.#driveOnce().finally(() => {
      this.#core.openRuns.delete(this)
      this.#driving = undefined
      this.#drive = undefined
      this.#forgetSignal?.()
    })
    return this.#driving
  }

  /** What this process's drives tell from now on. */
  events(): EventStream {
    const stream: EventStream = new EventStream(() => void this.#streams.delete(stream))
    this.#streams.add(stream)
    return stream
  }

  /** Asks whoever drives the run to end it. */
  async cancel(reason?: string): Promise<PostReceipt> {
    await this.#opened
    const { store, clock } = this.#core
    return store.post(this.#runId, { kind: 'cancel', ...(reason === undefined ? {} : { reason }) }, clock.now())
  }

  /** Stops driving and gives the lease back. */
  async detach(): Promise<void> {
    this.#isDetaching = true
    try {
      this.#stopWaiting()
      this.#drive?.detach()
      await this.#driving?.catch(() => undefined)
      const taken = await this.#opened.catch(() => undefined)
      if (taken !== undefined) await this.#giveBack(taken)
    } finally {
      this.#isDetaching = false
    }
  }

  async #driveOnce(): Promise<DriveRest | undefined> {
    this.#core.openRuns.add(this)
    const opened = await this.#opened
    this.#opened = Promise.resolve(undefined)
    const taken = opened ?? (await this.#claim())
    if (taken === undefined) return undefined
    if (this.#isDetaching) {
      await this.#giveBack(taken)
      return undefined
    }
    const drive = this.#core.openDrive(taken, (event) => {
      for (const stream of this.#streams) stream.push(event)
    })
    this.#drive = drive
    const opening = this.#core.parts.tools.open()
    if (opening !== undefined) await this.#waitFor(opening, drive)
    const rest = await drive.run()
    return rest?.status === 'waiting' && rest.mayHaveNews && (await this.#hasNews()) ? this.#driveAgain(rest) : rest
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

  /** A decision may come after the commit of `waiting` and before the lease was given back. */
  async #hasNews(): Promise<boolean> {
    const { store } = this.#core
    const { status } = await store.record(this.#runId)
    if (status !== 'waiting') return false
    const rows = await store.inbox(this.#runId, 0)
    return rows.some(({ item }) => item.kind !== 'steer' && item.kind !== 'followUp')
  }

  /** Who came first drives; the news is stored for either. */
  async #driveAgain(rest: DriveRest): Promise<DriveRest | undefined> {
    try {
      return await this.#driveOnce()
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'run_is_driven') throw error
      return rest
    }
  }

  /**
   * Undefined where the run is done. A refusal comes a turn of the event loop later, so that who tries again at once starves
   * no timer.
   */
  async #claim(): Promise<TakenLease | undefined> {
    const { store, leaseMs, clock } = this.#core
    if (this.#isForeign(this.#agent)) return this.#refuseForeign()
    const since = momentOf(clock)
    try {
      const { lease, run } = await store.claim(this.#runId, this.#core.newOwner(), leaseMs, since.wall)
      if (lease === undefined) return undefined
      if (!this.#isForeign(run.record.agent)) return { since, lease, run }
      await store.release(lease)
      return await this.#refuseForeign()
    } catch (error) {
      await nextLoopTurn()
      throw error
    }
  }

  #isForeign(agent: string): boolean {
    return agent !== this.#core.name && !this.#adopts
  }

  /** A run that is done is not driven by any agent. */
  async #refuseForeign(): Promise<undefined> {
    const { status, agent } = await this.#core.store.record(this.#runId)
    if (status !== 'done') throw otherAgent(this.#runId, agent, this.#core.name)
  }

  /** A lease nobody has driven under. */
  async #giveBack({ lease }: TakenLease): Promise<void> {
    this.#opened = Promise.resolve(undefined)
    await this.#core.store.release(lease)
  }
}

/** Its tools, limits and instructions are not those the run was begun with. */
function otherAgent(runId: string, agent: string, name: string): UsageError {
  const advice = `Drive it with the agent "${agent}", or take it over: load("${runId}", { adopt: true }).`
  return new UsageError(
    'other_agent',
    `Run "${runId}" belongs to the agent "${agent}"; this one is "${name}". ${advice}`,
  )
}
