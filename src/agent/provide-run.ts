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
import { checkAgentOptions } from './agent-shape.ts'
import { checkedClock } from './checked-clock.ts'
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
 * where `createAgent` would. Toolsets are opened on first use, and closed by whoever made them: `toolset.close()`.
 *
 * @example
 * const machine = provideRun({ ...options, log: saved.log, onLog: (log) => (saved.log = log) })
 * const input = createAgent(options).machineInput('Hi')
 * const actor = createActor(machine, { input, snapshot: saved.snapshot }).start()
 */
export function provideRun({ log = [], onLog, ...options }: PlainRunOptions): RunMachine {
  checkAgentOptions(options)
  const { clock = systemClock, ids = randomIds } = options
  return plainRun({
    parts: partsOf(options),
    clock: checkedClock(clock),
    ids,
    log,
    ...(onLog === undefined ? {} : { onLog }),
  })
}

/** What the run machine of a plain XState actor works with. */
export interface PlainRunParts extends PlainRunLog {
  readonly parts: AgentParts
  readonly clock: Clock
  readonly ids: Ids
}

/** The run machine bound to effect handlers that perform at once. */
export function plainRun(parts: PlainRunParts): RunMachine {
  const handlers = effectHandlers(parts.parts)
  const runs = new WeakMap<object, PlainRun>()
  return assembleRun((system) => {
    const run = runs.get(system) ?? new PlainRun(parts, handlers)
    runs.set(system, run)
    return run
  })
}

/** The outbox of one actor system: what is put into it is performed at once. */
class PlainRun implements Outbox {
  readonly #parts: PlainRunParts
  readonly #log: RunLog
  readonly #runner: EffectRunner
  readonly #effects = new Map<string, Effect>()

  constructor(parts: PlainRunParts, handlers: EffectHandlers) {
    const { clock, ids, log = [] } = parts
    this.#parts = parts
    this.#log = new RunLog(log, (log.at(-1)?.seq ?? 0) + 1)
    this.#runner = new EffectRunner({
      runId: 'plain',
      handlers,
      view: this.#log,
      decision: () => Promise.resolve(undefined),
      clock,
      ids,
      emit: () => {},
      lease: { fence: 0, confirm: () => undefined },
      finished: () => this.#takeFinished(),
    })
  }

  keyFor(restored: string | undefined): string {
    return restored ?? this.#parts.ids.next('effect')
  }

  record(writes: readonly Write[]): void {
    this.#log.apply(writes, this.#parts.clock.now())
    this.#parts.onLog?.(this.#log.entries())
  }

  checkpoint(): void {}

  announce(): void {}

  /** A root starts its children before it runs its first actions, which write the user's messages. */
  add(effect: Effect): void {
    this.#effects.set(effect.key, effect)
    queueMicrotask(() => this.#perform(effect))
  }

  started(): void {}

  withdraw(key: string): void {
    this.#effects.delete(key)
    this.#runner.cancel(key)
  }

  #perform(effect: Effect): void {
    if (!this.#effects.has(effect.key)) return
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

  #complete({ key, actor }: Effect, result: EffectResult<unknown>): void {
    this.#effects.delete(key)
    const output = this.#log.take(result, this.#parts.clock.now())
    this.#parts.onLog?.(this.#log.entries())
    actor.send({ type: 'effect.completed', output })
  }

  /** A handler that throws ends the run with an error, as it does in the engine. */
  #fail({ key, src, actor }: Effect, error: unknown): void {
    this.#effects.delete(key)
    let root = actor
    while (root._parent !== undefined) root = root._parent
    root.send(effectFailedEvent(src, error, this.#parts.clock.now()))
  }
}
