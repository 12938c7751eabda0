import { isInputTaken, queuedRows } from '../../../machines/run/run.selectors.ts'
import type { RunContext } from '../../../machines/run/run.types.ts'
import type { CallStatus } from '../domain/call.ts'
import type { AgentEventBody } from '../domain/event.ts'
import { eventOf } from '../domain/event-of.ts'
import { decidedEvent, type StoredDecision } from '../domain/inbox.ts'
import { frozenCopy } from '../domain/text/json.ts'
import type { LogEntry, Write } from '../domain/log.ts'
import type { AssistantMessage, InputMessage, Message } from '../domain/message.ts'
import type { CheckpointName } from '../domain/outcome.ts'
import { unstoredDetails } from '../domain/run-details.ts'
import type { EffectResult } from '../ports/effect-handler.ts'
import type { Announcement, Effect, LiveActor, Outbox } from '../step/effect-logic.ts'
import { Change } from '../runtime/change.ts'
import { EffectRunner } from '../runtime/effect-runner.ts'
import { inboxEvent } from '../runtime/inbox-event.ts'
import { newEntries } from '../runtime/new-entries.ts'
import { topLevelState } from '../runtime/persist.ts'
import { effectFailedEvent, wokenEvent } from '../runtime/chart-events.ts'
import { RunLog } from '../runtime/run-log.ts'
import { linkTo, type LogLink } from './plain-log.ts'
import type { PlainRunParts } from './plain-run-parts.ts'

/** The outbox of one actor: its effects are performed at once, and its writes are kept in memory. */
export class PlainRun implements Outbox {
  readonly #parts: PlainRunParts
  readonly #change = new Change()
  readonly #log: RunLog
  /** The events in the log that no other entry holds. */
  readonly #marks: LogEntry[]
  readonly #runner: EffectRunner
  readonly #effects = new Map<string, Effect>()
  readonly #calls = new Map<string, LiveActor>()
  #decisions: readonly StoredDecision[]
  readonly #said: Map<number, readonly InputMessage[]>
  /** Keys of launched effects without a result; a restarted actor requests them again. */
  readonly #launched = new Set<string>()
  #isWaking = false
  #isDirty = false
  #isLogNew = false

  constructor(parts: PlainRunParts) {
    const { runId, entries, carried, decisions, given, said, handlers, clock, ids } = parts
    this.#parts = parts
    this.#decisions = decisions
    this.#said = new Map(said.map(({ inboxId, messages }) => [inboxId, messages]))
    this.#marks = entries.filter(({ kind }) => kind === 'mark')
    // Copies the input, because the application may change its own objects.
    const payloads = { input: frozenCopy(given) ?? given, said: (inboxId: number) => this.#said.get(inboxId) ?? [] }
    this.#log = new RunLog(entries, (entries.at(-1)?.seq ?? 0) + 1, this.#change, carried, payloads)
    this.#runner = new EffectRunner({
      run: unstoredDetails(runId),
      handlers,
      view: this.#log,
      decision: (decisionId) => Promise.resolve(this.#decisions.find((known) => known.decisionId === decisionId)),
      clock,
      ids,
      emit: (event) => this.#emit(event),
      lease: { fence: 0, confirm: () => undefined },
      finished: () => this.#takeFinished(),
    })
  }

  get root(): LiveActor {
    return this.#parts.root
  }

  get log(): RunLog {
    this.tell()
    return this.#log
  }

  get decisions(): readonly StoredDecision[] {
    this.tell()
    return this.#decisions
  }

  /** Returns the current snapshot's reference to its log. */
  link(): LogLink {
    const { root, runId, carried } = this.#parts
    this.tell()
    const entries = this.#entries()
    const { context } = root.getSnapshot() as { readonly context: RunContext }
    const queued = queuedRows(context)
    const said = [...this.#said].flatMap(([inboxId, messages]) =>
      queued.includes(inboxId) ? { inboxId, messages } : [],
    )
    return linkTo(
      { runId, entries },
      {
        decisions: this.#decisions,
        ...(carried === 0 ? {} : { carried }),
        ...(isInputTaken(context) ? {} : { given: this.#log.given }),
        ...(said.length === 0 ? {} : { said }),
      },
    )
  }

  /** Stores a message to the run; returns its number in the chart. */
  keepSaid(messages: readonly InputMessage[]): number {
    const inboxId = 1 + Math.max(0, ...this.#said.keys())
    this.#said.set(inboxId, messages)
    return inboxId
  }

  messages(): readonly Message[] {
    return this.#log.messages()
  }

  /** Returns the last answer of the run's own model calls. */
  lastAnswer(): AssistantMessage | undefined {
    return this.#log.lastAnswer()
  }

  /** Starts the running time of a restored run, unless its actor is stopped within this tick. */
  wake(): void {
    if (this.#isWaking) return
    this.#isWaking = true
    queueMicrotask(() => {
      this.#isWaking = false
      const { status, value, context } = this.root.getSnapshot()
      if (status !== 'active') return
      this.#log.marks.standing = this.#parts.charts.turnAt(value, context, this.#log)
      this.root.send(wokenEvent(this.#parts.clock.now()))
    })
  }

  /** Sends new decisions to the chart. */
  decide(rows: readonly StoredDecision[]): void {
    const first = this.#decisions.length + 1
    this.#decisions = [...this.#decisions, ...rows]
    for (const [index, row] of rows.entries()) {
      const event = inboxEvent({ id: first + index, item: { kind: 'decision', decision: row } }, row.at, false)
      if (event === undefined) continue
      this.#log.marks.add(decidedEvent(row), row.at)
      this.root.send(event)
    }
  }

  /** Emits the events since the last call, and the log if it has changed. */
  tell(): void {
    if (this.#isDirty) {
      this.#isDirty = false
      const { context } = this.root.getSnapshot() as { readonly context: unknown }
      this.#tellEvents(context)
    }
    if (!this.#isLogNew) return
    this.#isLogNew = false
    this.#parts.onLog?.({ runId: this.#parts.runId, entries: this.#entries() })
  }

  #entries(): readonly LogEntry[] {
    return [...this.#log.entries(), ...this.#marks].sort((left, right) => left.seq - right.seq)
  }

  /** Emits events in the order in which the engine emits them after a commit. */
  #tellEvents(context: unknown): void {
    this.#trackCalls()
    const { runId, clock, origin, charts } = this.#parts
    this.#takeAnswered()
    this.#log.marks.markCalls(clock.now())
    const entries = newEntries(this.#change, { toEvent: charts.toEvent, log: this.#log, origin, context })
    this.#isLogNew ||= this.#change.isLogNew || entries.length > 0
    this.#change.clear()
    this.#marks.push(...entries.filter(({ kind }) => kind === 'mark'))
    for (const entry of entries) {
      const event = eventOf(entry, { runId, subject: origin.subject })
      if (event !== undefined) this.#parts.emit(event)
    }
  }

  #emit(event: AgentEventBody): void {
    const { emit, origin } = this.#parts
    emit({ ...event, subject: origin.subject })
  }

  /** Records kept decisions that have answered a suspension, and removes rejected messages. */
  #takeAnswered(): void {
    const { answered, refused } = this.#change
    for (const inboxId of refused) this.#said.delete(inboxId)
    if (answered.length === 0) return
    this.#decisions = this.#decisions.map((row, index) => {
      const used = answered.find(({ id }) => id === index + 1)
      return used === undefined ? row : { ...row, suspensionId: used.suspensionId }
    })
  }

  keyFor(restored: string | undefined): string {
    return restored ?? this.#parts.ids.next('effect')
  }

  /** Copies the writes, because the application may own the input and the outputs of its actors. */
  record(writes: readonly Write[]): void {
    this.#log.apply(frozenCopy(writes) ?? writes, this.#parts.clock.now())
    this.#changed()
  }

  checkpoint(name: CheckpointName): void {
    this.#trackCalls()
    this.#log.checkpoint(name, this.#parts.clock.now())
    this.#changed()
  }

  announce(announcement: Announcement): void {
    this.#trackCalls()
    this.#log.marks.announce(announcement, this.#parts.clock.now())
    this.#changed()
  }

  /**
   * Performs an effect in a later microtask, because a root starts its children before it runs its first actions, which
   * write the user's messages.
   */
  add(asked: Effect): void {
    const effect = this.#launched.has(asked.key) ? { ...asked, isRestored: true } : asked
    this.#effects.set(effect.key, effect)
    queueMicrotask(() => this.#perform(effect))
  }

  started(call: LiveActor): void {
    const changed = () => this.#changed()
    call.subscribe({ next: changed, error: changed, complete: changed })
    this.#calls.set(call.id, call)
    changed()
  }

  withdraw(key: string): void {
    this.#effects.delete(key)
    this.#runner.cancel(key)
  }

  /** Emits after the step, when every actor that it reached has settled. */
  #changed(): void {
    if (this.#isDirty) return
    this.#isDirty = true
    queueMicrotask(() => this.tell())
  }

  /** Records the state of each call before the chart reports its consequences; drops finished calls. */
  #trackCalls(): void {
    for (const [id, call] of this.#calls) {
      const { status, value } = call.getSnapshot()
      this.#log.setStatus(id, topLevelState(value) as CallStatus)
      if (status !== 'active') this.#calls.delete(id)
    }
  }

  #perform(effect: Effect): void {
    // The actor was stopped before this microtask, and perhaps restarted.
    if (this.#effects.get(effect.key) !== effect) return
    this.tell()
    this.#launched.add(effect.key)
    try {
      const known = this.#runner.recovered(effect)
      if (known === undefined) this.#runner.launch(effect)
      else this.#complete(effect, known)
    } catch (error) {
      this.#fail(effect, error)
    }
  }

  #takeFinished(): void {
    for (const { key, writes, written } of this.#runner.takeAsked()) {
      if (!this.#effects.has(key)) continue
      this.record(writes)
      written()
    }
    for (const { key, result, error } of this.#runner.takeFinished()) {
      const effect = this.#effects.get(key)
      if (effect === undefined) continue
      if (result === undefined) this.#fail(effect, error)
      else this.#complete(effect, result)
    }
  }

  #complete({ key, src, actor }: Effect, result: EffectResult<unknown>): void {
    this.#forget(key)
    const output = this.#log.take(result, this.#parts.clock.now())
    this.#changed()
    actor.send({ type: 'effect.completed', output })
    if (result.failure !== undefined) this.#tellFailure(src, result.failure)
  }

  /** A handler that throws ends the run with an error, as in the engine. */
  #fail({ key, src }: Effect, error: unknown): void {
    this.#forget(key)
    this.#tellFailure(src, error)
  }

  #forget(key: string): void {
    this.#effects.delete(key)
    this.#launched.delete(key)
  }

  #tellFailure(src: string, error: unknown): void {
    this.root.send(effectFailedEvent(src, error, this.#parts.clock.now()))
  }
}
