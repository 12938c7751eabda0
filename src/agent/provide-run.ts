import type { RunMachine } from '../../machines/run/run.machine.ts'
import type { AgentParts } from '../actors/parts.ts'
import type { LogEntry, Write } from '../domain/log.ts'
import type { Clock } from '../ports/clock.ts'
import type { HandContext, RunView } from '../ports/hand.ts'
import type { Ids } from '../ports/ids.ts'
import type { Offer } from '../runtime/effect-logic.ts'
import { Ledger } from '../runtime/ledger.ts'
import type { ChartDesk } from '../runtime/stepper.ts'
import { handsOf, type Hands } from './hands.ts'
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
  return assembleRun(new PlainDesk(pieces))
}

/** What belongs to one actor system: two may be made of one snapshot, and then their effects have the same keys. */
interface PlainRun {
  readonly ledger: Ledger
  /** The one view the hands have of the log. */
  readonly view: RunView
  readonly controllers: Map<string, AbortController>
}

/** Performs what the charts offer as they offer it; durable or not is a matter of who drives. */
class PlainDesk implements ChartDesk {
  readonly #pieces: RunPieces
  readonly #hands: Hands
  readonly #runs = new WeakMap<object, PlainRun>()

  constructor(pieces: RunPieces) {
    this.#pieces = pieces
    this.#hands = handsOf(pieces.parts)
  }

  keyFor(restored: string | undefined): string {
    return restored ?? this.#pieces.ids.next('effect')
  }

  record(writes: readonly Write[], system: object): void {
    const { ledger } = this.#runOf(system)
    ledger.apply(writes, this.#pieces.clock.now())
    this.#pieces.onLog?.(ledger.entries())
  }

  checkpoint(): void {}

  announce(): void {}

  withdraw(key: string, system: object): void {
    const { controllers } = this.#runOf(system)
    controllers.get(key)?.abort(new Error('The effect is no longer wanted.'))
    controllers.delete(key)
  }

  offer(offer: Offer): void {
    const controller = new AbortController()
    this.#runOf(offer.actor.system).controllers.set(offer.key, controller)
    void this.#perform(offer, controller.signal).catch((error: unknown) => this.#fail(offer, error))
  }

  async #perform({ key, src, input, isRestored, actor }: Offer, signal: AbortSignal): Promise<void> {
    // A root starts its children before it runs its first actions, which write the user's messages.
    await Promise.resolve()
    if (signal.aborted) return
    const hand = this.#hands[src]
    if (hand === undefined) throw new Error(`No hand performs "${src}".`)
    const context = this.#contextFor(key, isRestored, signal, actor.system)
    const known = isRestored ? hand.recover?.(input as never, context) : undefined
    const result = known ?? (await hand.perform(input as never, context))
    const { ledger, controllers } = this.#runOf(actor.system)
    if (!controllers.delete(key)) return
    const first = ledger.apply(result.writes ?? [], this.#pieces.clock.now())
    this.#pieces.onLog?.(ledger.entries())
    const output = typeof result.output === 'function' ? result.output(first) : result.output
    actor.send({ type: 'effect.completed', output })
  }

  /** A hand that throws ends the run with an error, as it does in the engine. */
  #fail({ key, src, actor }: Offer, error: unknown): void {
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
    const ledger = new Ledger(log, (log.at(-1)?.seq ?? 0) + 1)
    const view: RunView = {
      messages: () => ledger.messages(),
      message: (seq) => ledger.message(seq),
      call: (callId) => ledger.call(callId),
      decision: () => Promise.resolve(undefined),
      state: () => ledger.state,
    }
    const run = { ledger, view, controllers: new Map() }
    this.#runs.set(system, run)
    return run
  }

  #contextFor(key: string, isRestored: boolean, signal: AbortSignal, system: object): HandContext {
    const { clock, ids } = this.#pieces
    const { view } = this.#runOf(system)
    return { runId: 'plain', key, isRestored, signal, view, clock, ids, emit: () => {} }
  }
}
