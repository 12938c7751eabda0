import type { InboxRow } from '../domain/inbox.ts'
import { nextLoopTurn } from '../domain/text/platform.ts'
import { asStoreError, StoreError } from '../domain/store-error.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import { buildCommit, findBrokenPromise, type PendingCommit } from './build-commit.ts'
import type { Completion, DriveOptions, DriveRest } from './drive-options.ts'
import { effectKeys } from './effect-runner.ts'
import { EngineError } from '../domain/engine-error.ts'
import { inboxEvent, isSuperseded } from './inbox-event.ts'
import { HeldLease } from './held-lease.ts'
import type { CommitReceipt, CommitRefused } from '../ports/store.ts'
import type { LiveRun } from './live-run.ts'
import { loadRun } from './load-run.ts'
import { readQueuedRows } from './read-queued-rows.ts'
import { effectFailedEvent, failedEvent, wokenEvent } from './chart-events.ts'
import type { RunTrace } from '../ports/tracer.ts'
import { endTrace, openTrace } from './trace-run.ts'
import { traceWaits } from './trace-waits.ts'
import { writeCommit } from './write-commit.ts'

const roundsAtOnce = 64

/**
 * Drives one run from its last commit to the next rest: reads the inbox, steps, commits, performs, and repeats. Ends
 * when the run waits or is done and everything is stored. Rejects with a `StoreError` if the store cannot be reached or
 * the lease was lost; then the stored run stays at its last commit.
 */
export class Drive {
  readonly #options: DriveOptions
  readonly #heldLease: HeldLease
  #loaded: LiveRun | undefined
  #loss: unknown
  #trace: RunTrace | undefined
  #completion: Completion | undefined
  readonly #detached = new AbortController()
  #isDraining = false
  /** True if the last commit has returned the lease. */
  #isReleased = false
  /** True if this drive has committed, and no other driver has since. */
  #hasCommitted = false
  readonly #keyFor: (restored: string | undefined) => string
  #restarts = 0
  #wake: () => void = () => {}

  constructor(options: DriveOptions) {
    this.#options = options
    this.#keyFor = effectKeys(options.lease)
    this.#heldLease = new HeldLease(options, { lost: (loss) => this.#lose(loss), slept: () => this.#wake() })
  }

  /** Leaves the run as stored, and fires the signals of running effects. */
  detach(): void {
    this.#detached.abort()
    this.#wake()
  }

  /** Launches nothing more, and leaves the run as stored once running effects have finished and are committed. */
  drain(): void {
    this.#isDraining = true
    this.#wake()
  }

  /** Undefined if the drive was detached or drained. */
  async run(): Promise<DriveRest | undefined> {
    const { store, lease } = this.#options
    let unwatch = () => {}
    let rest: DriveRest | undefined
    try {
      unwatch = store.watch(lease.runId, () => this.#hearNews())
      await this.#load()
      for (let round = 1; await this.#advance(); round++) {
        await this.#rest()
        // Work that is always ready at once would keep every timer of the process waiting.
        if (round % roundsAtOnce === 0) await nextLoopTurn()
      }
      await this.#giveBack()
      rest = this.#detached.signal.aborted ? undefined : this.#live.restOf(!this.#isReleased)
      return rest
    } finally {
      unwatch()
      this.#heldLease.stop()
      this.#loaded?.close()
      if (this.#trace !== undefined) endTrace(this.#trace, rest)
      if (!this.#isReleased && this.#options.isLent !== true) await this.#release()
    }
  }

  async #release(): Promise<void> {
    const { store, lease } = this.#options
    await store.release(lease).catch((error: unknown) => this.#loss ?? Promise.reject(error))
  }

  /**
   * Runs the loop once. A commit may let rows in that change the wanted effects, so the drive reads the inbox and steps
   * again before it performs. Returns false at rest.
   */
  async #advance(): Promise<boolean> {
    do {
      if (this.#live.inbox.isStale) await this.#readInbox()
      if (this.#loss !== undefined) throw this.#loss
      if (this.#detached.signal.aborted) return false
      if (this.#heldLease.isAsleep) await this.#wakeUp()
      this.#step()
    } while ((await this.#commit()) && !this.#isReleased)
    if (this.#isReleased) return false
    if (this.#live.log.isBare && !this.#isDraining && this.#live.needsBytes) {
      await this.#live.fill(this.#options)
      if (this.#detached.signal.aborted) return false
    }
    if (!this.#isDraining) this.#live.perform()
    else if (!this.#live.isUnderWay) this.#detached.abort()
    return !this.#detached.signal.aborted && this.#hasMore()
  }

  /** Commits the pending effects that were never started here, so that no later driver has to ask whether they ran. */
  async #giveBack(): Promise<void> {
    if (this.#isReleased || this.#loss !== undefined || !this.#live.giveBack()) return
    await this.#commit()
  }

  /** Restarts the chart's clock before any other event, because sleeping time does not count. */
  async #wakeUp(): Promise<void> {
    const awakeUntil = await this.#heldLease.wakeUp().catch((error: unknown) => {
      throw this.#lossOf(error)
    })
    this.#live.stepper.send(wokenEvent(this.#options.clock.now(), awakeUntil))
  }

  /** Fetches rows of the inbox; the next step sends them before the results of effects. */
  async #readInbox(): Promise<void> {
    const { inbox } = this.#live
    while (inbox.isStale && this.#loss === undefined) await inbox.fetch()
  }

  /** Sends inbox rows to the machine, then results. */
  #step(): void {
    const live = this.#live
    this.#takeInbox(live)
    live.takeAsked(this.#options.clock.now())
    this.#takeFinished(live)
    live.cancelWithdrawn()
  }

  #takeInbox(live: LiveRun): void {
    const rows = live.inbox.hasNews ? live.inbox.take((callId) => live.log.call(callId)?.seq) : []
    for (const [index, row] of rows.entries()) this.#takeRow(live, row, rows.slice(index + 1))
  }

  #takeRow(live: LiveRun, row: InboxRow, later: readonly InboxRow[]): void {
    const now = this.#options.clock.now()
    const event = inboxEvent(row, now, this.#isTranscriptReaderPending())
    if (event !== undefined) live.takeRow(row, isSuperseded(row, later) ? undefined : event, now)
  }

  /** Returns true if an effect that reads the transcript is pending and was never launched. */
  #isTranscriptReaderPending(): boolean {
    const { stepper, runner } = this.#live
    return [...stepper.outbox.values()].some(
      ({ src, isLaunched, isRestored }) => !isLaunched && !isRestored && runner.handlerOf(src).readsTranscript === true,
    )
  }

  /** An effect that fails ends the run; a failure of the store ends only this drive. */
  #takeFinished(live: LiveRun): void {
    const { clock } = this.#options
    for (const { key, src, result, error } of live.runner.takeFinished()) {
      if (live.stepper.failure !== undefined) return
      const now = clock.now()
      if (result !== undefined) live.takeIn({ kind: 'result', key, result }, now)
      else if (error instanceof StoreError) throw this.#lossOf(error)
      else if (live.stepper.outbox.has(key))
        live.takeIn({ kind: 'event', event: effectFailedEvent(src, error, now) }, now)
    }
  }

  /** Writes all changes; returns false without changes. A defect is reported to the run as stored. */
  async #commit(): Promise<boolean> {
    const [live, { store }] = [this.#live, this.#options]
    if (live.stepper.failure !== undefined) return this.#restart(live.stepper.failure)
    if (!live.isDirty) return false
    const broken = findBrokenPromise(live)
    if (broken !== undefined) return this.#restart(new EngineError(broken))
    if (this.#completion && live.log.isBare && live.stepper.status === 'done') await live.fill(this.#options)
    const pending = buildCommit(live, this.#options, this.#completion, this.#options.clock.now())
    const receipt = await this.#write(live, pending)
    if ('refused' in receipt) await this.#goBack(live)
    else this.#takeCommitted(live, pending, receipt)
    if (this.#trace !== undefined && !('refused' in receipt))
      await traceWaits(this.#trace, pending.commit, { store, live })
    return true
  }

  /** Returns the lease in the same write if the run rests with this commit. */
  #write({ emit }: LiveRun, { commit }: PendingCommit): Promise<CommitReceipt | CommitRefused> {
    const whole = this.#hasMore() ? commit : { ...commit, release: true }
    const mayWait = () => this.#loss === undefined && !this.#detached.signal.aborted
    const { signal } = this.#detached
    const options = { ...this.#options, emit, heldLease: this.#heldLease, mayWait, signal }
    return writeCommit(whole, options).catch((error) => {
      throw this.#lossOf(error)
    })
  }

  /**
   * Restores the last commit after a refusal, processes the unread rows first, and then the rows that it had processed
   * since. Running effects continue.
   */
  async #goBack(before: LiveRun): Promise<void> {
    const { takenIn } = before.change
    await before.inbox.fetchRefusing()
    await this.#load(before)
    await this.#readInbox()
    const live = this.#live
    this.#takeInbox(live)
    const now = this.#options.clock.now()
    for (const one of takenIn) live.takeIn(one, now)
    live.runner.retain(live.stepper.outbox)
  }

  #takeCommitted(
    live: LiveRun,
    { commit, timers, nextSeq }: PendingCommit,
    { version, released = false }: CommitReceipt,
  ): void {
    const [{ log, change }, { written }] = [live, live.change]
    this.#hasCommitted = true
    live.head = { ...live.head, version, status: commit.status, timers, input: commit.input ?? live.head.input }
    log.goOnAt(nextSeq)
    change.clear()
    for (const told of written) told()
    this.#restarts = 0
    this.#isReleased = released
    live.emitEntries(commit.append, commit.runId, this.#options.emit)
  }

  #hasMore(): boolean {
    const live = this.#live
    const { stepper, runner, inbox } = live
    if (stepper.status === 'running' || runner.hasNews || inbox.hasNews) return true
    return live.hasWork(this.#options.clock.now())
  }

  #rest(): Promise<void> {
    const { runner, inbox } = this.#live
    return new Promise((resolve) => {
      this.#wake = resolve
      if (runner.hasNews || inbox.isStale || this.#detached.signal.aborted || this.#loss !== undefined) resolve()
    })
  }

  get #live(): LiveRun {
    if (this.#loaded === undefined) throw new EngineError('A run was driven before it was loaded.')
    return this.#loaded
  }

  /** Loads the run from the store. Effects of the load `before` continue, and may read the log: a whole one stays whole. */
  async #load(before?: LiveRun): Promise<void> {
    const { store, lease, run, trace, tracer, completionOf, clock } = this.#options
    if (before === undefined) this.#loaded?.close()
    const known = this.#loaded === undefined ? run : undefined
    const stored = known ?? (await store.read(lease.runId, before?.log.isBare ?? true))
    const completion = completionOf?.(stored.input)
    if (completion !== undefined) this.#completion = await completion
    if (tracer !== undefined) this.#trace ??= trace ?? openTrace(tracer, lease.runId, stored.record.agent, stored.input)
    const said = await readQueuedRows(store, stored)
    const hooks = { keyFor: this.#keyFor, heldLease: this.#heldLease, wake: () => this.#wake(), trace: this.#trace }
    const awakeUntil = this.#hasCommitted ? clock.now() : undefined
    this.#loaded = loadRun(stored, this.#options, { ...hooks, before, awakeUntil, said })
  }

  /** Ends the run with an engine error, from its last stored state. */
  async #restart(cause: unknown): Promise<true> {
    const message = thrownText(cause)
    if (++this.#restarts > 1) {
      const wish = 'The stored run stays at its last commit.'
      throw new EngineError(`The engine failed twice at the same place: ${message}. ${wish}`, { cause })
    }
    this.#live.runner.cancelAll()
    await this.#load()
    const now = this.#options.clock.now()
    this.#live.takeIn({ kind: 'event', event: failedEvent({ code: 'engine_error', message }, now) }, now)
    return true
  }

  #hearNews(): void {
    this.#loaded?.inbox.expire()
    this.#wake()
  }

  #lossOf(cause: unknown): StoreError {
    const loss = asStoreError(cause)
    this.#loss = loss
    return loss
  }

  #lose(loss: unknown): void {
    this.#loss = loss
    this.#wake()
  }
}
