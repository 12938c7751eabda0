import type { Outcome, RunError } from '../domain/outcome.ts'
import { asStoreError, StoreError } from '../domain/store-error.ts'
import type { EffectHandler } from '../ports/effect-handler.ts'
import { buildCommit, findBrokenPromise, isReaderPending, type PendingCommit } from './build-commit.ts'
import { decodeRun } from './document.ts'
import type { DriveOptions, DriveRest } from './drive-options.ts'
import { EngineError } from './engine-error.ts'
import { failedEvent, wokenEvent } from './drive-events.ts'
import { EffectRunner } from './effect-runner.ts'
import { inboxEvent, isSuperseded } from './inbox-event.ts'
import { InboxReader } from './inbox-reader.ts'
import { LeaseRenewal } from './lease-renewal.ts'
import { RunLog } from './run-log.ts'
import { openStepper } from './open-stepper.ts'
import type { PendingEffect, Stepper } from './stepper.ts'
import { PendingEvents } from './pending-events.ts'

/**
 * Drives one run from its last commit to the next rest: step, commit, perform, again. Ends when the run
 * waits or is done and everything is stored; rejects with a `StoreError` where the store cannot be reached
 * or the lease was lost, in which case the stored run stays at its last commit.
 */
export class Drive {
  readonly #options: DriveOptions
  readonly #renewal: LeaseRenewal
  readonly #runner: EffectRunner
  readonly #events = new PendingEvents()
  readonly #inbox: InboxReader
  #stepper!: Stepper
  #runLog!: RunLog
  #version = 0
  #committedStatus = ''
  #timers = '[]'
  #keyCount = 0
  #consumed: number[] = []
  #loss: unknown
  #isDetached = false
  #failures = 0
  #wake: () => void = () => {}

  constructor(options: DriveOptions) {
    this.#options = options
    this.#renewal = new LeaseRenewal(options, (loss) => this.#lose(loss))
    this.#runner = new EffectRunner(options, {
      wake: () => this.#wake(),
      lose: (cause) => this.#lose(asStoreError(cause)),
    })
    this.#inbox = new InboxReader(options.store, options.lease.runId)
  }

  /** Leaves the run as stored; what was being performed is told so by its signal. */
  detach(): void {
    this.#isDetached = true
    this.#wake()
  }

  /** Undefined where the drive was detached. */
  async run(): Promise<DriveRest | undefined> {
    const { store, lease } = this.#options
    let unwatch = () => {}
    try {
      unwatch = store.watch(lease.runId, () => this.#hearNews())
      await this.#load()
      while (await this.#turn()) await this.#rest()
      return this.#restOf()
    } finally {
      unwatch()
      this.#renewal.stop()
      this.#runner.close()
      this.#stepper?.close()
      const released = store.release(lease)
      await (this.#loss === undefined ? released : released.catch(() => undefined))
    }
  }

  #hearNews(): void {
    this.#inbox.expire()
    this.#wake()
  }

  /** Takes in what is there, commits it, performs what was committed; false at the end. */
  async #turn(): Promise<boolean> {
    for (;;) {
      if (this.#loss !== undefined) throw this.#loss
      if (this.#isDetached) return false
      while (this.#runner.hearTimers() || this.#inbox.isStale) await this.#inbox.fetch()
      this.#absorb()
      if (this.#stepper.failure !== undefined) {
        await this.#restartFailed(this.#stepper.failure)
        continue
      }
      this.#launch()
      if (!this.#isDirty()) break
      await this.#commit()
    }
    const isIdle = !this.#runner.hasReady && !this.#inbox.hasNews
    return this.#stepper.status === 'running' || !isIdle || this.#runner.hasWork(this.#stepper.outbox.values())
  }

  #restOf(): DriveRest | undefined {
    if (this.#isDetached || this.#committedStatus === 'running') return undefined
    const { outcome } = this.#stepper.context as { readonly outcome?: Outcome | null }
    return {
      status: this.#committedStatus as DriveRest['status'],
      ...(outcome ? { outcome } : {}),
      log: this.#runLog.entries(),
      calls: this.#runLog.calls(),
    }
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      if (this.#runner.hasReady || this.#inbox.isStale || this.#isDetached || this.#loss !== undefined) resolve()
    })
  }

  async #load(failure?: RunError): Promise<void> {
    const { store, lease, charts, clock, inspect } = this.#options
    const stored = await store.read(lease.runId)
    const input = this.#options.machineInput(stored.input)
    const loaded = decodeRun(stored, charts.defaults(input))
    this.#version = stored.record.version
    this.#committedStatus = stored.record.version === 0 ? '' : stored.record.status
    this.#timers = stored.record.version === 0 ? '[]' : ''
    this.#events.clear()
    this.#runLog = new RunLog(stored.log, loaded?.nextSeq ?? 1, this.#events)
    this.#inbox.restart()
    this.#consumed = []
    const runLog = this.#runLog
    this.#runner.attach(runLog)
    this.#stepper = openStepper(lease.runId, {
      charts,
      input,
      ...(loaded === undefined ? {} : { snapshot: loaded.snapshot }),
      keyFor: (restored) => this.#keyFor(restored),
      record: (writes) => void runLog.apply(writes, clock.now()),
      announce: (announcement) => this.#events.say(announcement),
      setStatus: (callId, status) => runLog.setStatus(callId, status),
      ...(inspect === undefined ? {} : { inspect }),
    })
    if (loaded !== undefined) this.#wakeUp()
    if (failure !== undefined) this.#stepper.send(failedEvent(failure, this.#options.clock.now()))
  }

  /** What is known of restored effects without performing them comes before everything else. */
  #wakeUp(): void {
    const { clock } = this.#options
    this.#stepper.send(wokenEvent(clock.now()))
    for (const effect of [...this.#stepper.outbox.values()]) {
      const result = this.#runner.recovered(effect)
      if (result !== undefined) this.#takeIn({ key: effect.key, src: effect.src, result })
    }
  }

  /** Keys carry the fence, so that no two drives ever give out the same. */
  #keyFor(restored: string | undefined): string {
    const { runId, fence } = this.#options.lease
    if (restored?.startsWith(`${runId}/`) === true) return restored
    return `${runId}/${fence}.${++this.#keyCount}`
  }

  /** An engine error is the end of the run, told to the machine as it last stood in the store. */
  async #restartFailed(cause: unknown): Promise<void> {
    const message = cause instanceof Error ? cause.message : String(cause)
    if (++this.#failures > 1) {
      const wish = 'The stored run stays at its last commit.'
      throw new EngineError(`The engine failed twice at the same place: ${message}. ${wish}`, { cause })
    }
    this.#stepper.close()
    await this.#load({ code: 'engine_error', message })
  }

  #absorb(): void {
    const rows = this.#inbox.take((callId) => this.#runLog.call(callId)?.seq)
    for (const [index, row] of rows.entries()) {
      const event = inboxEvent(row, this.#options.clock.now(), isReaderPending(this.#stepper, this.#options.handlers))
      if (event === undefined) continue
      this.#consumed.push(row.id)
      this.#runner.remember(row)
      if (!isSuperseded(row, rows.slice(index + 1))) this.#stepper.send(event)
    }
    for (const done of this.#runner.takeReady()) {
      if (this.#stepper.failure !== undefined) return
      this.#takeIn(done)
    }
  }

  #takeIn({ key, src, result, error }: ReturnType<EffectRunner['takeReady']>[number]): void {
    if (!this.#stepper.outbox.has(key)) return
    if (result === undefined) {
      const message = error instanceof Error ? error.message : String(error)
      this.#stepper.send(
        failedEvent({ code: 'effect_failed', message: `${src}: ${message}` }, this.#options.clock.now()),
      )
      return
    }
    const first = this.#runLog.apply(result.writes ?? [], this.#options.clock.now())
    const output = typeof result.output === 'function' ? result.output(first) : result.output
    this.#stepper.complete(key, output)
  }

  #launch(): void {
    for (const key of this.#stepper.withdrawn.splice(0)) this.#runner.cancel(key)
    const isDirty = this.#isDirty()
    for (const effect of this.#stepper.outbox.values()) {
      if (effect.isLaunched) continue
      if (effect.isCommitted || (!isDirty && this.#kindOf(effect) === 'local')) this.#runner.launch(effect)
    }
  }

  #kindOf(effect: PendingEffect): EffectHandler<never, unknown>['kind'] {
    return this.#runner.handlerOf(effect.src).kind
  }

  #isDirty(): boolean {
    const { names, outbox, status } = this.#stepper
    if (this.#runLog.hasUncommitted || names.length + this.#consumed.length > 0) return true
    if (status !== this.#committedStatus) return true
    for (const effect of outbox.values()) if (!effect.isCommitted && this.#kindOf(effect) !== 'local') return true
    return false
  }

  async #commit(): Promise<void> {
    const { store, clock, handlers } = this.#options
    const broken = findBrokenPromise(this.#stepper, this.#runLog, handlers)
    if (broken !== undefined) return this.#restartFailed(new EngineError(broken))
    const pending = this.#pending(clock.now())
    const receipt = await this.#guarded(() => store.commit(pending.commit))
    if ('refused' in receipt) return this.#readNews()
    this.#version = receipt.version
    this.#failures = 0
    this.#afterCommit(pending)
  }

  /** The commit was refused for rows this drive has not seen. */
  async #readNews(): Promise<void> {
    await this.#inbox.fetch()
    if (this.#inbox.hasNews) return
    const { runId } = this.#options.lease
    const found = `The store refused a commit of run "${runId}" for rows of its inbox and lists none`
    throw new StoreError('store_unavailable', `${found}. The run stays at its last commit: check the store.`)
  }

  #pending(at: number): PendingCommit {
    const context = this.#stepper.context as { readonly outcome?: Outcome | null }
    return buildCommit({
      lease: this.#options.lease,
      version: this.#version,
      at,
      rowSource: this.#options.charts.rowSource,
      openCalls: this.#options.charts.openCalls(context),
      stepper: this.#stepper,
      runLog: this.#runLog,
      consumed: this.#consumed,
      outcome: context.outcome ?? undefined,
      timers: this.#runner.timers(this.#stepper.outbox.values()),
      knownTimers: this.#timers,
    })
  }

  #afterCommit({ commit, timers, nextSeq }: PendingCommit): void {
    const { toEvent, emit } = this.#options
    const runLog = this.#runLog
    const { context, names } = this.#stepper
    const events = this.#events.flush(names.length > 0, {
      runId: commit.runId,
      at: commit.at,
      toEvent: (announcement) => toEvent(announcement, context, runLog, commit.at),
      call: (callId) => runLog.call(callId),
    })
    this.#timers = timers
    this.#runLog.nextSeq = nextSeq
    this.#runLog.markCommitted()
    this.#stepper.markCommitted()
    this.#consumed = []
    this.#committedStatus = commit.status
    for (const event of events) emit(event)
  }

  async #guarded<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write()
    } catch (error) {
      this.#loss = asStoreError(error)
      throw this.#loss
    }
  }

  #lose(loss: unknown): void {
    this.#loss = loss
    this.#wake()
  }
}
