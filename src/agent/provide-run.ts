import type { RunMachine } from '../../machines/run/run.machine.ts'
import type { AgentParts } from '../effects/agent-parts.ts'
import type { LogEntry, Write } from '../domain/log.ts'
import type { Clock } from '../ports/clock.ts'
import type { EffectContext, RunView } from '../ports/effect-handler.ts'
import type { Ids } from '../ports/ids.ts'
import type { Effect, Outbox } from '../runtime/effect-logic.ts'
import { RunLog } from '../runtime/run-log.ts'
import { effectHandlers, type EffectHandlers } from './effect-handlers.ts'
import { assembleRun } from './run-charts.ts'

/** What a run machine outside our engine works with. */
export interface RunPieces {
  readonly parts: AgentParts
  readonly clock: Clock
  readonly ids: Ids
  /** The log a restored snapshot refers to. Default: empty. */
  readonly log?: readonly LogEntry[]
  /** Gets the whole log after each change; keep it beside the snapshot to restore elsewhere. */
  readonly onLog?: (log: readonly LogEntry[]) => void
}

/** The run machine as plain XState: effects are performed at once, each actor keeps its log in memory. */
export function provideRun(pieces: RunPieces): RunMachine {
  return assembleRun(new PlainRuntime(pieces))
}

/** What belongs to one actor system: two may be made of one snapshot, and then their effects have the same keys. */
interface PlainRun {
  readonly runLog: RunLog
  /** The one view the effect handlers have of the log. */
  readonly view: RunView
  readonly controllers: Map<string, AbortController>
}

/** Performs effects as the charts ask for them; durable or not is a matter of who drives. */
class PlainRuntime implements Outbox {
  readonly #pieces: RunPieces
  readonly #handlers: EffectHandlers
  readonly #runs = new WeakMap<object, PlainRun>()

  constructor(pieces: RunPieces) {
    this.#pieces = pieces
    this.#handlers = effectHandlers(pieces.parts)
  }

  keyFor(restored: string | undefined): string {
    return restored ?? this.#pieces.ids.next('effect')
  }

  record(writes: readonly Write[], system: object): void {
    const { runLog } = this.#runOf(system)
    runLog.apply(writes, this.#pieces.clock.now())
    this.#pieces.onLog?.(runLog.entries())
  }

  checkpoint(): void {}

  announce(): void {}

  withdraw(key: string, system: object): void {
    const { controllers } = this.#runOf(system)
    controllers.get(key)?.abort(new Error('The effect is no longer wanted.'))
    controllers.delete(key)
  }

  add(effect: Effect): void {
    const controller = new AbortController()
    this.#runOf(effect.actor.system).controllers.set(effect.key, controller)
    void this.#perform(effect, controller.signal).catch((error: unknown) => this.#fail(effect, error))
  }

  async #perform({ key, src, input, isRestored, actor }: Effect, signal: AbortSignal): Promise<void> {
    // A root starts its children before it runs its first actions, which write the user's messages.
    await Promise.resolve()
    if (signal.aborted) return
    const handler = this.#handlers[src]
    if (handler === undefined) throw new Error(`No effect handler performs "${src}".`)
    const context = this.#contextFor(key, isRestored, signal, actor.system)
    const known = isRestored ? handler.recover?.(input as never, context) : undefined
    const result = known ?? (await handler.perform(input as never, context))
    const { runLog, controllers } = this.#runOf(actor.system)
    if (!controllers.delete(key)) return
    const first = runLog.apply(result.writes ?? [], this.#pieces.clock.now())
    this.#pieces.onLog?.(runLog.entries())
    const output = typeof result.output === 'function' ? result.output(first) : result.output
    actor.send({ type: 'effect.completed', output })
  }

  /** A handler that throws ends the run with an error, as it does in the engine. */
  #fail({ key, src, actor }: Effect, error: unknown): void {
    if (!this.#runOf(actor.system).controllers.delete(key)) return
    const message = `${src}: ${error instanceof Error ? error.message : String(error)}`
    let root = actor
    while (root._parent !== undefined) root = root._parent
    root.send({ type: 'run.failed', error: { code: 'effect_failed', message }, at: this.#pieces.clock.now() })
  }

  #runOf(system: object): PlainRun {
    const known = this.#runs.get(system)
    if (known !== undefined) return known
    const log = this.#pieces.log ?? []
    const runLog = new RunLog(log, (log.at(-1)?.seq ?? 0) + 1)
    const view: RunView = {
      messages: () => runLog.messages(),
      message: (seq) => runLog.message(seq),
      call: (callId) => runLog.call(callId),
      decision: () => Promise.resolve(undefined),
      state: () => runLog.state,
    }
    const run = { runLog, view, controllers: new Map() }
    this.#runs.set(system, run)
    return run
  }

  #contextFor(key: string, isRestored: boolean, signal: AbortSignal, system: object): EffectContext {
    const { clock, ids } = this.#pieces
    const { view } = this.#runOf(system)
    return { runId: 'plain', key, isRestored, signal, view, clock, ids, emit: () => {} }
  }
}
