import type { Decision, DecisionReceipt, DecisionScope } from '../domain/decision.ts'
import type { AgentEvent } from '../domain/event.ts'
import { StoreError } from '../domain/store-error.ts'
import type { Json } from '../domain/json.ts'
import { isTerminal } from '../domain/call.ts'
import type { CheckpointInfo, Lease, Store } from '../ports/store.ts'
import type { Drive } from '../runtime/drive.ts'
import type { DriveRest } from '../runtime/drive-options.ts'
import { EventStream } from '../runtime/event-stream.ts'
import type { AgentCore } from './agent-core.ts'
import { refuseMisfits } from './refuse-misfits.ts'
import { labelsIn, type RunLabels } from './run-labels.ts'
import { isAtRest, type RunResult, type RunStanding, standingOf, storedFacts } from './run-result.ts'
import { type RunState, stateAt } from './run-state.ts'
import { UsageError } from './usage-error.ts'

/** What a person adds to a yes or a no. */
export interface AnswerOptions {
  readonly scope?: DecisionScope
  readonly by?: string
  readonly reason?: string
  readonly decisionId?: string
}

/** How a run comes to be held by this process. */
export interface RunOpening {
  readonly opened?: Promise<Lease | undefined>
  readonly signal?: AbortSignal
}

/** One run, wherever it is stored. Reading and deciding claim nothing; iterating and `settled` drive it. */
export class Run implements AsyncIterable<AgentEvent> {
  readonly id: string
  readonly #core: AgentCore
  readonly #streams = new Set<EventStream>()
  #drive: Drive | undefined
  #driving: Promise<DriveRest | undefined> | undefined
  #isDetaching = false
  #forgetSignal: () => void = () => {}
  #opened: Promise<Lease | undefined>

  /** `opened` resolves once the run is stored, with the lease it was stored under; `signal` cancels the run. */
  constructor(core: AgentCore, id: string, { opened, signal }: RunOpening = {}) {
    this.#core = core
    this.id = id
    this.#opened = opened ?? Promise.resolve(undefined)
    this.#opened.catch(() => undefined)
    if (signal !== undefined) this.#cancelOn(signal)
  }

  /** Until the run has come to rest: a signal that fires later is no longer meant for it. */
  #cancelOn(signal: AbortSignal): void {
    const cancel = () => void this.cancel().catch(() => undefined)
    if (signal.aborted) return cancel()
    signal.addEventListener('abort', cancel, { once: true })
    this.#forgetSignal = () => signal.removeEventListener('abort', cancel)
  }

  /** Drives the run until it waits or is done; resolves for every end. */
  async settled(): Promise<RunResult> {
    const rest = await this.#driveOn()
    const standing = rest === undefined ? await this.result() : standingOf(this.id, rest)
    if (isAtRest(standing)) return standing
    throw new UsageError('run_detached', `Driving run "${this.id}" was stopped by detach(). It can be driven on.`)
  }

  /** Drives the run and yields its events from now on; ends where `settled` does. */
  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    const stream = this.events()
    this.#driveOn().then(
      () => stream.end(),
      (error: unknown) => stream.end(error),
    )
    return stream
  }

  /** Events of this process's drives from now on, without driving. */
  events(): AsyncIterableIterator<AgentEvent> & { end(error?: unknown): void } {
    const stream: EventStream = new EventStream(() => void this.#streams.delete(stream))
    this.#streams.add(stream)
    return stream
  }

  /** How the run stands, read from the store. */
  async result(): Promise<RunStanding> {
    await this.#opened
    return standingOf(this.id, storedFacts(await this.#store.read(this.id)))
  }

  /** The labels the run was started with; a fork has those of its original. */
  async labels(): Promise<RunLabels> {
    await this.#opened
    return labelsIn((await this.#store.read(this.id)).input)
  }

  /** The named commits of the run, oldest first. */
  async history(): Promise<readonly CheckpointInfo[]> {
    await this.#opened
    return this.#store.checkpoints(this.id)
  }

  /** The run as it stood at a checkpoint of `history()`. */
  async at(version: number): Promise<RunState> {
    return stateAt(await this.#store.checkpoint(this.id, version), version)
  }

  /** Stores decisions for whoever drives the run; one receipt an item, in order. */
  async decide(decisions: readonly Decision[]): Promise<readonly DecisionReceipt[]> {
    await this.#opened
    return refuseMisfits(this.#core, this.id, decisions)
  }

  /** Resumes a suspended call. `target` may be left out while exactly one call is suspended. */
  async approve(target?: string, options: AnswerOptions = {}): Promise<DecisionReceipt> {
    return this.#answer({ ...options, target: await this.#targetOf(target), action: 'resume' })
  }

  /** Cancels a suspended call; the reason becomes its result. */
  async deny(target?: string, reason?: string, options: AnswerOptions = {}): Promise<DecisionReceipt> {
    const why = reason === undefined ? {} : { reason }
    return this.#answer({ ...options, ...why, target: await this.#targetOf(target), action: 'cancel' })
  }

  /** Gives a suspended call its result; the tool does not run. */
  async respond(target: string | undefined, result: Json, options: AnswerOptions = {}): Promise<DecisionReceipt> {
    const resolved = await this.#targetOf(target)
    return this.#answer({ ...options, target: resolved, action: 'resume', mode: 'use-as-result', result })
  }

  /** Resumes a suspended call with other arguments. */
  async edit(target: string | undefined, input: Json, options: AnswerOptions = {}): Promise<DecisionReceipt> {
    return this.#answer({ ...options, target: await this.#targetOf(target), action: 'resume', input })
  }

  /** Ends the run, whoever drives it; unfinished calls become cancelled. */
  async cancel(reason?: string): Promise<void> {
    await this.#opened
    await this.#store.post(this.id, { kind: 'cancel', ...(reason === undefined ? {} : { reason }) }, this.#now())
  }

  /** Ends one call while the run goes on. */
  async cancelCall(target: string, reason?: string): Promise<void> {
    await this.#opened
    const callId = await this.#callIdOf(target)
    const item = { kind: 'cancelCall' as const, callId, ...(reason === undefined ? {} : { reason }) }
    await this.#store.post(this.id, item, this.#now())
  }

  /** Stops driving and leaves the run as stored, for another process to go on with. */
  async detach(): Promise<void> {
    this.#isDetaching = true
    try {
      this.#drive?.detach()
      await this.#driving?.catch(() => undefined)
      const lease = await this.#opened.catch(() => undefined)
      if (lease !== undefined) await this.#giveBack(lease)
    } finally {
      this.#isDetaching = false
    }
  }

  /** A lease nobody has driven under. */
  async #giveBack(lease: Lease): Promise<void> {
    this.#opened = Promise.resolve(undefined)
    await this.#store.release(lease)
  }

  get #store(): Store {
    return this.#core.store
  }

  #now(): number {
    return this.#core.clock.now()
  }

  async #answer(decision: Decision): Promise<DecisionReceipt> {
    const [receipt] = await this.decide([decision])
    return receipt ?? { target: decision.target, answer: 'unknown' }
  }

  /** A provider's id stands for a call while exactly one unsettled call has it. */
  async #callIdOf(target: string): Promise<string> {
    const calls = (await this.#store.calls(this.id)).map(({ record }) => record)
    if (calls.some(({ callId }) => callId === target)) return target
    const [only, ...others] = calls.filter(({ toolCallId, status }) => toolCallId === target && !isTerminal(status))
    return only === undefined || others.length > 0 ? target : only.callId
  }

  async #targetOf(target: string | undefined): Promise<string> {
    if (target !== undefined) return target
    await this.#opened
    const rows = await this.#store.calls(this.id)
    const open = rows
      .map(({ record }) => record)
      .filter((call) => !isTerminal(call.status) && call.status === 'suspended')
    const [only, ...others] = open
    if (only !== undefined && others.length === 0) return only.callId
    const ids = open.map((call) => call.callId).join(', ')
    const found = only === undefined ? 'no call of this run is suspended' : `several calls are suspended: ${ids}`
    throw new UsageError('ambiguous_call', `Which call is meant is open: ${found}. Name one.`)
  }

  /** How the run came to rest; undefined where this process did not bring it there. */
  #driveOn(): Promise<DriveRest | undefined> {
    this.#driving ??= this.#driveOnce().finally(() => {
      this.#driving = undefined
      this.#drive = undefined
      this.#forgetSignal()
    })
    return this.#driving
  }

  async #driveOnce(): Promise<DriveRest | undefined> {
    const opened = await this.#opened
    this.#opened = Promise.resolve(undefined)
    if (opened === undefined && (await this.#store.record(this.id)).status === 'done') return undefined
    const lease = opened ?? (await this.#claim())
    if (this.#isDetaching) {
      await this.#giveBack(lease)
      return undefined
    }
    this.#drive = this.#core.openDrive(lease, (event) => this.#emit(event))
    const rest = await this.#drive.run()
    return rest?.status === 'waiting' && (await this.#hasNews()) ? this.#driveAgain(rest) : rest
  }

  /** A decision may come after the commit of `waiting` and before the lease was given back. */
  async #hasNews(): Promise<boolean> {
    const { status } = await this.#store.record(this.id)
    if (status !== 'waiting') return false
    const rows = await this.#store.inbox(this.id, 0)
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

  /** A refusal comes a turn of the event loop later, so that who tries again at once starves no timer. */
  async #claim(): Promise<Lease> {
    const { store, leaseMs } = this.#core
    try {
      return await store.claim(this.id, this.#core.newOwner(), leaseMs, this.#now())
    } catch (error) {
      await new Promise((resolve) => setImmediate(resolve))
      throw error
    }
  }

  #emit(event: AgentEvent): void {
    for (const stream of this.#streams) stream.push(event)
  }
}
