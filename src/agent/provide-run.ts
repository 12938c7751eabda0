import type { RunMachine } from '../../machines/run/run.machine.ts'
import type { AgentParts } from '../effects/agent-parts.ts'
import type { LogEntry, Write } from '../domain/log.ts'
import type { Clock } from '../ports/clock.ts'
import type { EffectHandlers, EffectResult } from '../ports/effect-handler.ts'
import type { Ids } from '../ports/ids.ts'
import type { Effect, Outbox } from '../runtime/effect-logic.ts'
import { EffectRunner } from '../runtime/effect-runner.ts'
import { effectFailedEvent } from '../runtime/run-events.ts'
import { RunLog } from '../runtime/run-log.ts'
import { effectHandlers } from './effect-handlers.ts'
import { type AgentOptions, partsOf } from './options.ts'
import { assembleRun } from './run-charts.ts'
import { randomIds, systemClock } from './system-clock.ts'

/** The log of a run that plain XState drives: messages and calls, which no snapshot holds. */
export interface PlainRunLog {
  /** The log a restored snapshot refers to. Default: empty. */
  readonly log?: readonly LogEntry[]
  /** Gets the whole log after each change; keep it beside the snapshot to restore elsewhere. */
  readonly onLog?: (log: readonly LogEntry[]) => void
}

/** An agent's own options, and the log of its run; what stores, leases and inspects is for whoever drives it. */
export interface PlainRunOptions extends PlainRunLog, Omit<AgentOptions, 'store' | 'leaseMs' | 'inspect'> {}

/**
 * The run machine with an agent's effect handlers, as plain XState: effects are performed at once, and each actor
 * keeps its log in memory. Unlike `agent.machine` it can go on from a snapshot taken elsewhere. Throws a `UsageError`
 * where `createAgent` would.
 *
 * @example
 * const machine = provideRun({ ...options, log: saved.log, onLog: (log) => (saved.log = log) })
 * const input = createAgent(options).machineInput('Hi')
 * const actor = createActor(machine, { input, snapshot: saved.snapshot }).start()
 */
export function provideRun({ log = [], onLog, ...options }: PlainRunOptions): RunMachine {
  const { clock = systemClock, ids = randomIds } = options
  return plainRun({ parts: partsOf(options), clock, ids, log, ...(onLog === undefined ? {} : { onLog }) })
}

/** What the run machine of a plain XState actor works with. */
export interface PlainRunParts extends PlainRunLog {
  readonly parts: AgentParts
  readonly clock: Clock
  readonly ids: Ids
}

/** The run machine bound to effect handlers that perform at once. */
export function plainRun(pieces: PlainRunParts): RunMachine {
  return assembleRun(new PlainRuntime(pieces))
}

/** What belongs to one actor system: two may be made of one snapshot, and then their effects have the same keys. */
interface PlainRun {
  readonly log: RunLog
  readonly outbox: Map<string, Effect>
  readonly runner: EffectRunner
}

/** Performs effects as the charts ask for them; durable or not is a matter of who drives. */
class PlainRuntime implements Outbox {
  readonly #pieces: PlainRunParts
  readonly #handlers: EffectHandlers
  readonly #runs = new WeakMap<object, PlainRun>()

  constructor(pieces: PlainRunParts) {
    this.#pieces = pieces
    this.#handlers = effectHandlers(pieces.parts)
  }

  keyFor(restored: string | undefined): string {
    return restored ?? this.#pieces.ids.next('effect')
  }

  record(writes: readonly Write[], system: object): void {
    const { log } = this.#runOf(system)
    log.apply(writes, this.#pieces.clock.now())
    this.#pieces.onLog?.(log.entries())
  }

  checkpoint(): void {}

  announce(): void {}

  /** A root starts its children before it runs its first actions, which write the user's messages. */
  add(effect: Effect): void {
    const run = this.#runOf(effect.actor.system)
    run.outbox.set(effect.key, effect)
    queueMicrotask(() => this.#perform(run, effect))
  }

  withdraw(key: string, system: object): void {
    const { outbox, runner } = this.#runOf(system)
    outbox.delete(key)
    runner.cancel(key)
  }

  #perform(run: PlainRun, effect: Effect): void {
    if (!run.outbox.has(effect.key)) return
    try {
      const known = run.runner.recovered(effect)
      if (known === undefined) run.runner.launch(effect)
      else this.#complete(run, effect, known)
    } catch (error) {
      this.#fail(run, effect, error)
    }
  }

  #takeFinished(run: PlainRun): void {
    for (const { key, result, error } of run.runner.takeFinished()) {
      const effect = run.outbox.get(key)
      if (effect === undefined) continue
      if (result === undefined) this.#fail(run, effect, error)
      else this.#complete(run, effect, result)
    }
  }

  #complete({ log, outbox }: PlainRun, { key, actor }: Effect, result: EffectResult<unknown>): void {
    outbox.delete(key)
    const output = log.take(result, this.#pieces.clock.now())
    this.#pieces.onLog?.(log.entries())
    actor.send({ type: 'effect.completed', output })
  }

  /** A handler that throws ends the run with an error, as it does in the engine. */
  #fail({ outbox }: PlainRun, { key, src, actor }: Effect, error: unknown): void {
    outbox.delete(key)
    let root = actor
    while (root._parent !== undefined) root = root._parent
    root.send(effectFailedEvent(src, error, this.#pieces.clock.now()))
  }

  #runOf(system: object): PlainRun {
    const known = this.#runs.get(system)
    if (known !== undefined) return known
    const { clock, ids, log: stored = [] } = this.#pieces
    const log = new RunLog(stored, (stored.at(-1)?.seq ?? 0) + 1)
    const decision = () => Promise.resolve(undefined)
    const finished = () => this.#takeFinished(run)
    const tools = { handlers: this.#handlers, view: log, decision, clock, ids, emit: () => {}, finished }
    const run: PlainRun = { log, outbox: new Map(), runner: new EffectRunner({ runId: 'plain', ...tools }) }
    this.#runs.set(system, run)
    return run
  }
}
