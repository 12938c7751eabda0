import type { RunMachine } from '../../machines/run/run.machine.ts'
import type { AgentParts } from '../actors/parts.ts'
import type { UserMessage } from '../domain/message.ts'
import type { Clock } from '../ports/clock.ts'
import type { HandContext, RunView } from '../ports/hand.ts'
import type { Ids } from '../ports/ids.ts'
import type { LogEntry } from '../domain/log.ts'
import type { Offer } from '../runtime/effect-logic.ts'
import { Ledger } from '../runtime/ledger.ts'
import { handsOf, type Hands } from './hands.ts'
import { assembleRun } from './run-charts.ts'

/** What a run machine outside our engine works with. */
export interface RunPieces {
  readonly parts: AgentParts
  readonly clock: Clock
  readonly ids: Ids
  /** The log to go on with. Default: an empty one in memory; one machine then serves one run. */
  readonly log?: readonly LogEntry[]
  readonly messages?: readonly UserMessage[]
}

/** The run machine as plain XState: effects are performed at once, the log is kept in memory. */
export function provideRun(pieces: RunPieces): RunMachine {
  return assembleRun(new PlainDesk(pieces, handsOf(pieces.parts)))
}

/** Performs what the charts offer as they offer it; durable or not is a matter of who drives. */
class PlainDesk {
  readonly #pieces: RunPieces
  readonly #hands: Hands
  readonly #ledger: Ledger
  readonly #controllers = new Map<string, AbortController>()
  #count = 0

  constructor(pieces: RunPieces, hands: Hands) {
    this.#pieces = pieces
    this.#hands = hands
    const log = pieces.log ?? []
    this.#ledger = new Ledger(log, pieces.messages ?? [], (log.at(-1)?.seq ?? 0) + 1)
  }

  keyFor = (restored: string | undefined): string => restored ?? this.#pieces.ids.next(`plain${++this.#count}`)

  record = (writes: Parameters<Ledger['apply']>[0]): void => {
    this.#ledger.apply(writes, this.#pieces.clock.now())
  }

  checkpoint = (): void => {}

  announce = (): void => {}

  withdraw = (key: string): void => {
    this.#controllers.get(key)?.abort(new Error('The effect is no longer wanted.'))
    this.#controllers.delete(key)
  }

  offer = ({ key, src, input, isRestored, actor }: Offer): void => {
    const hand = this.#hands[src]
    if (hand === undefined) throw new Error(`No hand performs "${src}".`)
    const controller = new AbortController()
    this.#controllers.set(key, controller)
    const context = this.#contextFor(key, isRestored, controller.signal)
    const settle = async () => {
      const known = isRestored ? hand.recover?.(input as never, context) : undefined
      const result = known ?? (await hand.perform(input as never, context))
      if (!this.#controllers.delete(key)) return
      const first = this.#ledger.apply(result.writes ?? [], this.#pieces.clock.now())
      const output = typeof result.output === 'function' ? result.output(first) : result.output
      actor.send({ type: 'effect.completed', output })
    }
    void settle()
  }

  #contextFor(key: string, isRestored: boolean, signal: AbortSignal): HandContext {
    const { clock, ids } = this.#pieces
    const ledger = this.#ledger
    const view: RunView = {
      messages: () => ledger.messages(),
      message: (seq) => ledger.message(seq),
      call: (callId) => ledger.call(callId),
      decision: () => Promise.resolve(undefined),
      state: () => ledger.state,
    }
    return { runId: 'plain', key, isRestored, signal, view, clock, ids, emit: () => {} }
  }
}
