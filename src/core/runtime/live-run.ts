import type { AgentEventBody } from '../domain/event.ts'
import { eventOf } from '../domain/event-of.ts'
import { decidedEvent, type InboxRow } from '../domain/inbox.ts'
import type { Json } from '../domain/text/json.ts'
import type { LogEntry } from '../domain/log.ts'
import type { Outcome, RunStatus } from '../domain/outcome.ts'
import type { RunOrigin } from '../domain/run-origin.ts'
import type { EffectKind, EffectResult } from '../ports/effect-handler.ts'
import type { StoredRun, Timer } from '../ports/store.ts'
import type { Change, PendingEffect, TakenIn } from './change.ts'
import type { DriveOptions, DriveRest } from './drive-options.ts'
import type { EffectRunner } from './effect-runner.ts'
import type { InboxReader } from './inbox-reader.ts'
import { newEntries } from './new-entries.ts'
import { effectFailedEvent } from './chart-events.ts'
import type { RunLog } from './run-log.ts'
import type { Stepper } from './stepper.ts'

/** The stored state of a run that the next commit must match. */
export interface StoredHead {
  readonly version: number
  /** Undefined before the first commit of the chart. */
  readonly status: RunStatus | undefined
  /** The JSON of the timers that it lists; undefined if it was not computed. */
  readonly timers: string | undefined
  readonly input: Json
  readonly continues: StoredRun['continues'] | undefined
  /** Id of the session that it belongs to. */
  readonly session: string | undefined
}

/** The parts that survive a return to the last commit, because running effects hold them. */
export interface LastingParts {
  readonly log: RunLog
  readonly change: Change
  readonly inbox: InboxReader
  readonly runner: EffectRunner
}

/** The parts of one load, which the next load replaces. */
export interface LiveRunParts extends LastingParts {
  readonly stepper: Stepper
  readonly head: StoredHead
  readonly origin: RunOrigin
  /** Emits an event to the listeners, with its subject. */
  readonly emit: (event: AgentEventBody) => void
  /** The last entry that the store has. */
  readonly lastSeq: number
}

/** A run in memory: its machine, its log, its inbox and its effects, with the stored state that they build on. */
export class LiveRun {
  readonly stepper: Stepper
  readonly log: RunLog
  readonly change: Change
  readonly inbox: InboxReader
  readonly runner: EffectRunner
  readonly emit: (event: AgentEventBody) => void
  head: StoredHead
  readonly #origin: RunOrigin
  /** The number of the last event; before the first event of this load, of the last entry. */
  #lastEvent: number

  constructor({ stepper, log, change, inbox, runner, head, origin, emit, lastSeq }: LiveRunParts) {
    this.stepper = stepper
    this.log = log
    this.change = change
    this.inbox = inbox
    this.runner = runner
    this.head = head
    this.#origin = origin
    this.emit = emit
    this.#lastEvent = lastSeq
  }

  /** The reason why the root machine's run ended or waits. */
  get outcome(): Outcome | undefined {
    return this.stepper.outcome
  }

  /**
   * True if something has changed that the store does not have; a local effect needs no write. Timers and snapshots of
   * calls change only if one of these does.
   */
  get isDirty(): boolean {
    const { stepper, change, head } = this
    if (change.isLogNew || change.isCheckpoint || change.consumed.length > 0) return true
    if (stepper.status !== head.status) return true
    for (const effect of change.asked?.values() ?? []) if (this.kindOf(effect) !== 'local') return true
    return false
  }

  /** Returns true if a resting run has work: an ended call still in review, or a due timer. */
  hasWork(now: number): boolean {
    for (const effect of this.stepper.outbox.values()) if (this.kindOf(effect) === 'local') return true
    return this.timers().some(({ due }) => due <= now)
  }

  /**
   * True while an outside effect is running or its result is unprocessed. Timers and local effects do not count,
   * because the next driver requests them again.
   */
  get isUnderWay(): boolean {
    const isOutside = (effect: PendingEffect) =>
      effect.isLaunched && this.kindOf(effect) !== 'local' && this.runner.handlerOf(effect.src).due === undefined
    return this.runner.hasNews || [...this.stepper.outbox.values()].some(isOutside)
  }

  kindOf({ src }: PendingEffect): EffectKind {
    return this.runner.handlerOf(src).kind
  }

  /** Due times of pending timers, for others to find in the store. */
  timers(): readonly Timer[] {
    const timers: Timer[] = []
    for (const { key, src, input } of this.stepper.outbox.values()) {
      const due = this.runner.handlerOf(src).due?.(input as never)
      if (due !== undefined && due !== null) timers.push({ key, due })
    }
    return timers
  }

  /**
   * Adds the entries of running effects to the log. The effects are notified once the next commit has been accepted.
   */
  takeAsked(now: number): void {
    for (const asked of this.runner.takeAsked()) this.takeIn({ kind: 'writes', ...asked }, now)
  }

  /** Passes the charts what cannot be read from the store again. */
  takeIn(taken: TakenIn, now: number): void {
    this.change.takenIn.push(taken)
    if (taken.kind === 'event') this.stepper.send(taken.event)
    else if (taken.kind === 'result') this.complete(taken.key, taken.result, now)
    else if (this.stepper.outbox.has(taken.key)) {
      this.log.apply(taken.writes, now)
      this.change.written.push(taken.written)
    }
  }

  /** Consumes a row of the inbox with the next commit, and sends its event, if it still counts, to the chart. */
  takeRow({ id, item }: InboxRow, event: { readonly type: string } | undefined, now: number): void {
    this.change.consumed.push(id)
    if (event === undefined) return
    const { reason = 'suspended' } = this.outcome ?? {}
    // A decision that comes with the end of the run changes nothing any more, and the end is the last event.
    if (item.kind === 'decision' && reason === 'suspended') this.log.marks.add(decidedEvent(item.decision), now)
    this.stepper.send(event)
  }

  /** Adds the result of an effect to the log, and sends its output to the chart. */
  complete(key: string, result: EffectResult<unknown>, now: number): void {
    const effect = this.stepper.outbox.get(key)
    if (effect === undefined) return
    this.stepper.complete(key, this.log.take(result, now))
    if (result.failure !== undefined) this.stepper.send(effectFailedEvent(effect.src, result.failure, now))
  }

  /** Cancels effects that the charts no longer want. */
  cancelWithdrawn(): void {
    for (const key of this.change.withdrawn.splice(0)) this.runner.cancel(key)
  }

  /** True if something but a timer is to be performed, for which no bytes may be in the store alone. */
  get needsBytes(): boolean {
    const isDue = ({ isLaunched, src }: PendingEffect) => !isLaunched && this.runner.handlerOf(src).due === undefined
    return [...this.stepper.outbox.values()].some(isDue)
  }

  /** Reads what the load has left in the store: the bytes of large media in messages. */
  async fill({ store, lease }: Pick<DriveOptions, 'store' | 'lease'>): Promise<void> {
    this.log.fill((await store.read(lease.runId)).log)
  }

  /** Launches wanted effects. Nothing may be uncommitted here: every effect except local ones is recorded. */
  perform(): void {
    for (const effect of this.stepper.outbox.values()) {
      if (effect.isLaunched) continue
      effect.isLaunched = true
      this.runner.launch(effect)
    }
  }

  /**
   * Removes recorded effects that this process will not launch, if the next driver would treat them as begun. Returns
   * true if there are any, so that the next commit stores it.
   */
  giveBack(): boolean {
    const { runner, stepper, change } = this
    for (const effect of stepper.outbox.values()) {
      const { key, src, isLaunched, isRestored } = effect
      if (change.asked?.has(key) === true || isLaunched || isRestored || runner.handlerOf(src).recover === undefined)
        continue
      change.unlaunched ??= new Set()
      change.unlaunched.add(key)
      change.asked ??= new Map()
      change.asked.set(key, effect)
    }
    return change.unlaunched !== undefined
  }

  /** Returns the new entries of the log, as the commit holds them. */
  newEntries(toEvent: DriveOptions['toEvent']): readonly LogEntry[] {
    const { stepper, log, change } = this
    return newEntries(change, { toEvent, log, origin: this.#origin, context: stepper.context })
  }

  /** Emits the events of entries that the store has accepted. */
  emitEntries(entries: readonly LogEntry[], runId: string, emit: DriveOptions['emit']): void {
    const { subject } = this.#origin
    for (const entry of entries) {
      const event = eventOf(entry, { runId, subject })
      if (event === undefined) continue
      emit(event, this.#lastEvent)
      this.#lastEvent = event.seq
    }
  }

  /** Returns the stored state of a resting run; undefined otherwise. A run that is still held may have unread rows. */
  restOf(isHeld: boolean): DriveRest | undefined {
    const { head, outcome, log, inbox } = this
    if (head.status === undefined || head.status === 'running') return undefined
    const mayHaveNews = isHeld || inbox.isStale
    const { status, input, continues } = head
    const [entries, calls, lastSeq, { isBare }] = [log.entries(), log.calls(), log.nextSeq - 1, log]
    return { ...(outcome && { outcome }), continues, status, input, log: entries, lastSeq, calls, mayHaveNews, isBare }
  }

  /** Undoes everything new since the last commit, whose log is given. Running effects continue. */
  goBack(log: readonly LogEntry[], nextSeq: number): LastingParts {
    const { change, inbox, runner } = this
    change.clear()
    this.log.goBack(log, nextSeq)
    inbox.rewind()
    return { log: this.log, change, inbox, runner }
  }

  close(): void {
    this.runner.close()
  }
}
