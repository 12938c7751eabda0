import type { AnyStateMachine, InspectionEvent } from 'xstate'
import { canonicalJson, type Json } from '../../src/core/domain/text/json.ts'
import type { ChartEvent } from './convert.ts'
import { interpreter5, interpreter6, type Interpreter, type Stepped } from './interpreters.ts'
import { actOf, type SnapshotOf, type Turn, turnOf } from './turn.ts'

/** The three turns that one event came to. */
export interface Compared {
  readonly chart: string
  readonly event: ChartEvent
  readonly ours: Turn
  readonly five: Turn
  readonly six: Turn
  /** The contexts that the chart's own actions saw in 5 and in 6. */
  readonly contexts: readonly [unknown, unknown]
}

/** An actor of the explored system. */
interface Seen {
  readonly chart: Witnessed
  before: SnapshotOf | undefined
  acts: string[]
  starts: { [id: string]: unknown }
}

interface Witnessed {
  readonly five: Interpreter
  readonly six: Interpreter
  /** The snapshots of 5 and 6 for each state that the chart has come to. */
  readonly known: Map<string, readonly [SnapshotOf, SnapshotOf]>
}

interface Actor {
  readonly id: string
  readonly _parent?: Actor
  readonly logic?: { readonly id: string }
}

/** Has XState 5 and XState 6 take each step of each chart that an exploration takes, by their pure `transition`. */
export class Witness {
  /** Steps of actors that were seen, and those that were new and compared. */
  seen = 0
  compared = 0
  readonly #charts: { readonly [id: string]: Witnessed }
  readonly #onTurn: (compared: Compared) => void
  readonly #actors = new WeakMap<Actor, Seen>()
  readonly #done = new Set<string>()

  constructor(machines: readonly AnyStateMachine[], onTurn: (compared: Compared) => void, stepAs = interpreter6) {
    this.#onTurn = onTurn
    const charts = machines.map((machine): [string, Witnessed] => {
      const actors = Object.keys(machine.implementations.actors)
      const five = interpreter5(machine, actors)
      return [machine.id, { five, six: stepAs(machine, actors), known: new Map() }]
    })
    this.#charts = Object.fromEntries(charts)
  }

  see(event: InspectionEvent): void {
    const actor = event.actorRef as unknown as Actor
    if (event.type === '@xstate.event') {
      const parent = actor._parent && this.#seenOf(actor._parent)
      const { type, input } = event.event as ChartEvent
      if (type === 'xstate.init' && input !== undefined && parent !== undefined) parent.starts[actor.id] = input
    } else if (event.type === '@xstate.action') {
      const act = actOf(event.action, actor)
      if (act !== undefined) this.#seenOf(actor)?.acts.push(act)
    } else if (event.type === '@xstate.snapshot') {
      this.#turn(actor, event.event, event.snapshot as unknown as SnapshotOf)
    }
  }

  #seenOf(actor: Actor): Seen | undefined {
    const chart = this.#charts[actor.logic?.id ?? '']
    if (chart === undefined) return undefined
    const seen = this.#actors.get(actor) ?? { chart, before: undefined, acts: [], starts: {} }
    this.#actors.set(actor, seen)
    return seen
  }

  #turn(actor: Actor, event: ChartEvent, after: SnapshotOf): void {
    const seen = this.#seenOf(actor)
    if (seen === undefined) return
    const { chart, before, acts, starts } = seen
    Object.assign(seen, { before: after, acts: [], starts: {} })
    const isRestored = before === undefined && event['input'] === undefined
    if (isRestored) return
    this.seen++
    const from = before === undefined ? 'new' : keyOf(before)
    const key = `${actor.logic?.id ?? ''} ${from} ${JSON.stringify(event)}`
    if (this.#done.has(key)) return
    this.#done.add(key)
    this.compared++
    const [five, six] = this.#steppedBy(chart, before, event)
    if (!chart.known.has(keyOf(after))) chart.known.set(keyOf(after), [five.snapshot, six.snapshot])
    const ours = turnOf(after, starts, acts)
    const contexts = [five.contexts, six.contexts] as const
    this.#onTurn({ chart: actor.logic?.id ?? '', event, ours, five: five.turn, six: six.turn, contexts })
  }

  #steppedBy(chart: Witnessed, before: SnapshotOf | undefined, event: ChartEvent): readonly [Stepped, Stepped] {
    if (before === undefined) return [chart.five.begin(event['input']), chart.six.begin(event['input'])]
    const known = chart.known.get(keyOf(before))
    if (known === undefined) throw new Error(`No step has led to the state from which "${event.type}" was taken.`)
    return [chart.five.step(known[0], event), chart.six.step(known[1], event)]
  }
}

function keyOf({ status, value, context, children }: SnapshotOf): string {
  const named = Object.entries(children).map(([id, child]) => `${id}:${String(child?.src)}`)
  return `${status} ${named.sort().join()} ${canonicalJson({ value, context } as Json)}`
}
