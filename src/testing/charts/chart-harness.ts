import { type AnyActorRef, type InspectionEvent, StateMachine } from 'xstate'
import type { RunInput } from '../../../machines/run/run.types.ts'
import { assembleRun, runCharts, type RunMachines } from '../../agent/run-charts.ts'
import type { CallStatus } from '../../domain/call.ts'
import type { JsonObject } from '../../domain/json.ts'
import { topLevelState } from '../../domain/state-value.ts'
import { userMessage } from '../../domain/message.ts'
import type { Effect, Outbox } from '../../runtime/effect-logic.ts'
import { reviveActor, type StoredActor } from '../../runtime/persist.ts'
import { type Charts, type PendingEffect, Stepper } from '../../runtime/stepper.ts'
import type { Configuration, Happening, Move, OpenEffect, Standing } from './exploration-types.ts'
import { eventOf, outputOf, type OutcomeSource } from './move-outcomes.ts'

/** Sees every transition taken; the place of coverage. */
export type MicrostepWatcher = (event: Extract<InspectionEvent, { type: '@xstate.microstep' }>) => void

export interface ChartHarnessOptions {
  readonly configuration: Configuration
  /** Default: the charts as they are. */
  readonly machines?: RunMachines
  readonly onMicrostep?: MicrostepWatcher
}

/** What one move did: everything seen on the way, and how the run stands afterwards. */
export interface Step {
  readonly happenings: readonly Happening[]
  readonly standing: Standing
}

/** One machine kept alive; `open` comes first. */
export interface LiveChart {
  open(): Step
  step(before: Standing, move: Move, observed: OutcomeSource): Step
  close(): void
}

/** Runs single moves of one configuration through the engine's core, each from JSON to JSON. */
export class ChartHarness {
  readonly configuration: Configuration
  readonly input: RunInput
  readonly charts: Charts
  readonly #onMicrostep: MicrostepWatcher
  #outbox: Outbox | undefined
  #happenings: Happening[] = []
  #tops = new Map<string, string>()
  #keys = 0
  #root: AnyActorRef | undefined

  constructor({ configuration, machines, onMicrostep = () => {} }: ChartHarnessOptions) {
    this.configuration = configuration
    this.#onMicrostep = onMicrostep
    this.input = { options: configuration.options, messages: [userMessage('Go.', 1)] }
    const machine = assembleRun(this.#forwardingOutbox(), machines)
    this.charts = {
      ...runCharts,
      assemble: (outbox) => {
        this.#outbox = outbox
        return machine
      },
    }
  }

  /** The start of a new run. */
  open(): Step {
    const live = this.live()
    const step = live.open()
    live.close()
    return step
  }

  /** Restores the run from its text and makes one move. */
  step(before: Standing, move: Move, observed: OutcomeSource): Step {
    const stepper = this.#restored(before)
    const step = this.#during(stepper, () => makeMove(stepper, before, move, observed))
    stepper.close()
    return step
  }

  /** Keeps one machine alive over many moves. */
  live(): LiveChart {
    this.#tops = new Map()
    this.#keys = 1
    const stepper = this.stepper(undefined)
    return {
      open: () => effectsLast(this.#during(stepper, () => stepper.start())),
      step: (before, move, observed) => this.#during(stepper, () => makeMove(stepper, before, move, observed)),
      close: () => stepper.close(),
    }
  }

  /** Restores and stands still: what comes out must be what went in, and what the interpreter itself would keep. */
  restore(before: Standing): { readonly standing: Standing; readonly interpreted: unknown; readonly revived: unknown } {
    const stepper = this.#restored(before)
    const standing = standingOf(stepper)
    const interpreted: unknown = this.#root?.getPersistedSnapshot()
    stepper.close()
    return { standing, interpreted, revived: revive(before.text, this.charts.defaults(this.input)) }
  }

  #restored(before: Standing): Stepper {
    this.#tops = new Map([['', before.top], ...Object.entries(before.calls).map(topEntry)])
    this.#keys = 1 + Math.max(0, ...before.effects.map(({ key }) => Number(key.slice(1))))
    const stepper = this.stepper(before.text, before.snapshot)
    stepper.start()
    this.#happenings = []
    return stepper
  }

  #during(stepper: Stepper, act: () => void): Step {
    this.#happenings = []
    act()
    const standing = standingOf(stepper)
    const happenings = this.#happenings
    this.#happenings = []
    return { happenings, standing }
  }

  /** A live stepper at a text, or at the start of a new run; the caller starts it. */
  stepper(text: string | undefined, snapshot?: JsonObject): Stepper {
    const defaults = this.charts.defaults(this.input)
    this.#root = undefined
    return new Stepper({
      charts: this.charts,
      input: this.input,
      ...(text === undefined ? {} : { snapshot: snapshot ?? revive(text, defaults) }),
      keyFor: (restored) => restored ?? `k${this.#keys++}`,
      record: (writes) => void this.#happenings.push(...writes.map((write) => ({ kind: 'write' as const, write }))),
      announce: (announcement) => void this.#happenings.push({ kind: 'announcement', announcement }),
      setStatus: () => {},
      inspect: (event: InspectionEvent) => {
        this.#root ??= event.actorRef as AnyActorRef
        if (event.type === '@xstate.microstep') this.#watch(event)
      },
    })
  }

  #watch(event: Extract<InspectionEvent, { type: '@xstate.microstep' }>): void {
    this.#onMicrostep(event)
    const ref = event.actorRef as AnyActorRef
    const snapshot = event.snapshot as { value?: unknown; status: string }
    if (snapshot.status === 'stopped' || snapshot.value === undefined) return
    const isRoot = ref._parent === undefined
    if (!isRoot && ref.src !== 'toolCall') return
    const id = isRoot ? '' : ref.id
    const to = topLevelState(snapshot.value)
    const from = this.#tops.get(id) ?? (isRoot ? 'running' : 'new')
    if (from === to) return
    this.#tops.set(id, to)
    if (isRoot) this.#happenings.push({ kind: 'top', from, to })
    else this.#happenings.push({ kind: 'hop', callId: id, from: from as CallStatus, to: to as CallStatus })
  }

  /** The machine is built once; whoever steps it next gets what it says. */
  #forwardingOutbox(): Outbox {
    const outbox = (): Outbox => {
      if (this.#outbox === undefined) throw new Error('Nobody listens to the charts.')
      return this.#outbox
    }
    return {
      keyFor: (restored, system) => outbox().keyFor(restored, system),
      record: (writes, system) => outbox().record(writes, system),
      announce: (announcement, system) => outbox().announce(announcement, system),
      checkpoint: (name, system) => {
        this.#happenings.push({ kind: 'name', name })
        outbox().checkpoint(name, system)
      },
      add: (effect) => {
        outbox().add(effect)
        this.#happenings.push({ kind: 'effect', effect: openEffect(effect) })
      },
      withdraw: (key, system) => outbox().withdraw(key, system),
    }
  }
}

function makeMove(stepper: Stepper, before: Standing, move: Move, observed: OutcomeSource): void {
  if (move.type !== 'complete') return stepper.send(eventOf(move, observed))
  const effect = before.effects.find(({ owner, src }) => owner === move.owner && src === move.src)
  if (effect === undefined) throw new Error(`No effect ${move.owner}/${move.src} is open.`)
  stepper.complete(effect.key, outputOf(effect, move.outcome, observed))
}

/** At the start of a run the interpreter starts its first effects before it acts. */
function effectsLast({ happenings, standing }: Step): Step {
  const isEffect = (seen: Happening) => seen.kind === 'effect'
  return { happenings: [...happenings.filter((seen) => !isEffect(seen)), ...happenings.filter(isEffect)], standing }
}

function topEntry([id, value]: [string, unknown]): [string, string] {
  return [id, topLevelState(value)]
}

function revive(text: string, defaults: Parameters<typeof reviveActor>[2]): JsonObject {
  return reviveActor(JSON.parse(text) as StoredActor, 'root', defaults)
}

function openEffect({ key, src, input, actor }: Effect | PendingEffect): OpenEffect {
  const parent = actor._parent
  return { key, src, input, owner: parent?._parent === undefined ? 'run' : parent.id }
}

/** Reads off how a live run stands. */
function standingOf(stepper: Stepper): Standing {
  const root = stepper.persisted()
  const calls = Object.entries(root.children ?? {}).filter(([, child]) => child.src === 'toolCall')
  return {
    value: root.value,
    top: topLevelState(root.value),
    calls: Object.fromEntries(calls.map(([id, child]) => [id, child.snapshot.value])),
    effects: [...stepper.outbox.values()].map(openEffect),
    text: JSON.stringify(root),
    ...(stepper.failure === undefined ? {} : { failure: stepper.failure }),
  }
}

/** A machine with another config and the same implementations. */
export function rebuilt<M extends { readonly config: unknown; readonly implementations: unknown }>(
  machine: M,
  config: unknown,
): M {
  return new StateMachine(config as never, machine.implementations as never) as never
}
