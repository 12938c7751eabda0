import type { Outcome, RunError } from '../domain/outcome.ts'
import { asStoreError, StoreError } from '../domain/store-error.ts'
import type { Hand } from '../ports/hand.ts'
import { buildCommit, findBrokenPromise, isReaderPending, type PendingCommit } from './build-commit.ts'
import { decodeRun } from './document.ts'
import type { DriveOptions, DriveRest } from './drive-options.ts'
import { EngineError } from './engine-error.ts'
import { failedEvent, wokenEvent } from './drive-events.ts'
import { HandBench } from './hand-bench.ts'
import { inboxEvent, isSuperseded } from './inbox-event.ts'
import { InboxReader } from './inbox-reader.ts'
import { LeaseKeeper } from './lease-keeper.ts'
import { Ledger } from './ledger.ts'
import { openStepper } from './open-stepper.ts'
import type { PendingOffer, Stepper } from './stepper.ts'
import { Teller } from './teller.ts'

/**
 * Drives one run from its last commit to the next rest: step, commit, perform, again. Ends when the run
 * waits or is done and everything is stored; rejects with a `StoreError` where the store cannot be reached
 * or the lease was lost, in which case the stored run stays at its last commit.
 */
export class Drive {
  readonly #options: DriveOptions
  readonly #keeper: LeaseKeeper
  readonly #bench: HandBench
  readonly #teller = new Teller()
  readonly #inbox: InboxReader
  #stepper!: Stepper
  #ledger!: Ledger
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
    this.#keeper = new LeaseKeeper(options, (loss) => this.#lose(loss))
    this.#bench = new HandBench(options, { wake: () => this.#wake(), lose: (cause) => this.#lose(asStoreError(cause)) })
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
      this.#keeper.stop()
      this.#bench.close()
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
      while (this.#bench.hearTimers() || this.#inbox.isStale) await this.#inbox.fetch()
      this.#absorb()
      if (this.#stepper.failure !== undefined) {
        await this.#restartFailed(this.#stepper.failure)
        continue
      }
      this.#launch()
      if (!this.#isDirty()) break
      await this.#commit()
    }
    const isIdle = !this.#bench.hasReady && !this.#inbox.hasNews
    return this.#stepper.status === 'running' || !isIdle || this.#bench.hasWork(this.#stepper.offers.values())
  }

  #restOf(): DriveRest | undefined {
    if (this.#isDetached || this.#committedStatus === 'running') return undefined
    const { outcome } = this.#stepper.context as { readonly outcome?: Outcome | null }
    return {
      status: this.#committedStatus as DriveRest['status'],
      ...(outcome ? { outcome } : {}),
      log: this.#ledger.entries(),
      calls: this.#ledger.calls(),
    }
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      if (this.#bench.hasReady || this.#inbox.isStale || this.#isDetached || this.#loss !== undefined) resolve()
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
    this.#teller.clear()
    this.#ledger = new Ledger(stored.log, loaded?.nextSeq ?? 1, this.#teller)
    this.#inbox.restart()
    this.#consumed = []
    const ledger = this.#ledger
    this.#bench.attach(ledger)
    this.#stepper = openStepper(lease.runId, {
      charts,
      input,
      ...(loaded === undefined ? {} : { snapshot: loaded.snapshot }),
      keyFor: (restored) => this.#keyFor(restored),
      record: (writes) => void ledger.apply(writes, clock.now()),
      announce: (said) => this.#teller.say(said),
      setStatus: (callId, status) => ledger.setStatus(callId, status),
      ...(inspect === undefined ? {} : { inspect }),
    })
    if (loaded !== undefined) this.#wakeUp()
    if (failure !== undefined) this.#stepper.send(failedEvent(failure, this.#options.clock.now()))
  }

  /** What is known of restored effects without performing them comes before everything else. */
  #wakeUp(): void {
    const { clock } = this.#options
    this.#stepper.send(wokenEvent(clock.now()))
    for (const offer of [...this.#stepper.offers.values()]) {
      const result = this.#bench.recovered(offer)
      if (result !== undefined) this.#takeIn({ key: offer.key, src: offer.src, result })
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
    const rows = this.#inbox.take((callId) => this.#ledger.call(callId)?.seq)
    for (const [index, row] of rows.entries()) {
      const event = inboxEvent(row, this.#options.clock.now(), isReaderPending(this.#stepper, this.#options.hands))
      if (event === undefined) continue
      this.#consumed.push(row.id)
      this.#bench.remember(row)
      if (!isSuperseded(row, rows.slice(index + 1))) this.#stepper.send(event)
    }
    for (const done of this.#bench.takeReady()) {
      if (this.#stepper.failure !== undefined) return
      this.#takeIn(done)
    }
  }

  #takeIn({ key, src, result, error }: ReturnType<HandBench['takeReady']>[number]): void {
    if (!this.#stepper.offers.has(key)) return
    if (result === undefined) {
      const message = error instanceof Error ? error.message : String(error)
      this.#stepper.send(
        failedEvent({ code: 'effect_failed', message: `${src}: ${message}` }, this.#options.clock.now()),
      )
      return
    }
    const first = this.#ledger.apply(result.writes ?? [], this.#options.clock.now())
    const output = typeof result.output === 'function' ? result.output(first) : result.output
    this.#stepper.complete(key, output)
  }

  #launch(): void {
    for (const key of this.#stepper.withdrawn.splice(0)) this.#bench.cancel(key)
    const isDirty = this.#isDirty()
    for (const offer of this.#stepper.offers.values()) {
      if (offer.isLaunched) continue
      if (offer.isCommitted || (!isDirty && this.#kindOf(offer) === 'local')) this.#bench.launch(offer)
    }
  }

  #kindOf(offer: PendingOffer): Hand<never, unknown>['kind'] {
    return this.#bench.handOf(offer.src).kind
  }

  #isDirty(): boolean {
    const { names, offers, status } = this.#stepper
    if (this.#ledger.hasStaged || names.length + this.#consumed.length > 0) return true
    if (status !== this.#committedStatus) return true
    for (const offer of offers.values()) if (!offer.isCommitted && this.#kindOf(offer) !== 'local') return true
    return false
  }

  async #commit(): Promise<void> {
    const { store, clock, hands } = this.#options
    const broken = findBrokenPromise(this.#stepper, this.#ledger, hands)
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
      ledger: this.#ledger,
      consumed: this.#consumed,
      outcome: context.outcome ?? undefined,
      timers: this.#bench.timers(this.#stepper.offers.values()),
      knownTimers: this.#timers,
    })
  }

  #afterCommit({ commit, timers, nextSeq }: PendingCommit): void {
    const { toEvent, emit } = this.#options
    const ledger = this.#ledger
    const { context, names } = this.#stepper
    const events = this.#teller.flush(names.length > 0, {
      runId: commit.runId,
      at: commit.at,
      spell: (said) => toEvent(said, context, ledger, commit.at),
      call: (callId) => ledger.call(callId),
    })
    this.#timers = timers
    this.#ledger.nextSeq = nextSeq
    this.#ledger.clearStaged()
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
