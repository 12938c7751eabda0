import type { AnyActorRef, InspectionEvent } from 'xstate'
import type { CallStatus } from '../../core/domain/call.ts'
import { topLevelState } from '../../core/runtime/persist.ts'
import { type Charts, Stepper } from '../../core/runtime/stepper.ts'
import { type ActorState, isMachineState, type MachineState } from '../../core/step/actor-state.ts'
import { compareTraces, InterpreterTrace, type TraceEntry } from './interpreter-trace.ts'
import type { Happening, OpenEffect, Standing } from './exploration-types.ts'
import { openEffect, standingOf } from './standing.ts'

type Microstep = Extract<InspectionEvent, { type: '@xstate.microstep' }>

/** Receives every transition that is taken; used for coverage. */
export type MicrostepWatcher = (event: Microstep) => void

/** Receives every inspection event of the charts. */
export type InspectionWatcher = (event: InspectionEvent) => void

/** The result of one move: all observations, and the state of the run afterwards. */
export interface Step {
  readonly happenings: readonly Happening[]
  readonly standing: Standing
}

/** Options of a live chart. */
export interface LiveChartParts {
  readonly charts: Charts
  readonly input: unknown
  readonly onMicrostep: MicrostepWatcher
  /** Receives every inspection event of the charts, also while they are restored. */
  readonly onInspect?: InspectionWatcher
  /** A run's state and snapshot, from which the chart continues. Default: a new run, which `open` starts. */
  readonly from?: { readonly standing: Standing; readonly snapshot: MachineState }
  /** The same charts with another interpreter. Both take every step; if they differ, `InterpretersDiffer` is thrown. */
  readonly twin?: Charts
  /** Records the interpreter's inspection events. Default: true with a twin, else false. */
  readonly isTraced?: boolean
}

/** A live machine that records what happens in it. */
export class LiveChart {
  readonly #stepper: Stepper
  readonly #onMicrostep: MicrostepWatcher
  /** The last observed top-level state of each actor; the run has the empty name. */
  readonly #tops: Map<string, string>
  #happenings: Happening[] = []
  #isEndless = false
  #keys: number
  readonly #twin: LiveChart | undefined
  /** The interpreter's inspection events, recorded to compare them with the twin's. */
  readonly #trace: InterpreterTrace | undefined

  constructor({ charts, input, onMicrostep, onInspect, from, twin, isTraced = twin !== undefined }: LiveChartParts) {
    this.#trace = isTraced ? new InterpreterTrace() : undefined
    const { top, calls = {}, effects = [] } = from?.standing ?? {}
    this.#onMicrostep = onMicrostep
    this.#tops = new Map([['', top ?? 'running'], ...Object.entries(calls).map(topEntry)])
    this.#keys = 1 + Math.max(0, ...effects.map(({ key }) => Number(key.slice(1))))
    this.#stepper = new Stepper({
      charts,
      input,
      ...(from === undefined ? {} : { snapshot: from.snapshot }),
      keyFor: (restored) => restored ?? `k${this.#keys++}`,
      told: {
        record: (writes) => void this.#happenings.push(...writes.map((write) => ({ kind: 'write' as const, write }))),
        announce: (announcement) => void this.#happenings.push({ kind: 'announcement', announcement }),
        checkpoint: (name) => void this.#happenings.push({ kind: 'name', name }),
      },
      onChange: (change) => {
        if (change.kind !== 'asked') return
        if (this.#happenings.length > mostHappenings) throw this.#endless()
        this.#happenings.push({ kind: 'effect', effect: openEffect(change.effect) })
      },
      inspect: (event: InspectionEvent) => {
        if (event.type === '@xstate.microstep') this.#watch(event)
        this.#trace?.see(event)
        onInspect?.(event)
      },
    })
    if (twin !== undefined)
      this.#twin = new LiveChart({
        ...(from === undefined ? {} : { from }),
        charts: twin,
        input,
        onMicrostep: () => {},
        isTraced,
      })
    if (from === undefined) return
    this.#stepper.start()
    this.#happenings = []
    if (this.#twin !== undefined) compareTraces(this.#told(), this.#twin.#told())
  }

  /** Starts a new run. */
  open(): Step {
    return effectsLast(this.#during(({ stepper }) => stepper.start()))
  }

  send(event: { readonly type: string }): Step {
    return this.#during(({ stepper }) => stepper.send(event))
  }

  /** Completes the open effect of an actor; throws if the actor has none. */
  complete(owner: string, src: string, outputOf: (effect: OpenEffect) => unknown): Step {
    const open = [...this.#stepper.outbox.values()].map(openEffect)
    const effect = open.find((other) => other.owner === owner && other.src === src)
    if (effect === undefined) throw new Error(`No effect ${owner}/${src} is open.`)
    const output = outputOf(effect)
    return this.#during(({ stepper }) => stepper.complete(effect.key, output))
  }

  get standing(): Standing {
    return standingOf(this.#stepper)
  }

  get status(): string {
    return this.#stepper.status
  }

  get context(): unknown {
    return this.#stepper.context
  }

  /** The state that XState's own actors would store, if a twin runs on them. */
  get interpreted(): unknown {
    return this.#twin === undefined ? undefined : this.#twin.#stepper.state
  }

  /** Marks the step as endless. The actor that receives the error fails, and each interpreter fails another actor. */
  #endless(): Error {
    this.#isEndless = true
    return new Error('The step does not end.')
  }

  #during(act: (live: { readonly stepper: Stepper }) => void): Step {
    this.#happenings = []
    act({ stepper: this.#stepper })
    if (this.#isEndless) throw this.#endless()
    const { standing } = this
    if (this.#twin !== undefined) {
      act({ stepper: this.#twin.#stepper })
      compareTraces(this.#told(), this.#twin.#told())
    }
    return { happenings: this.#happenings, standing }
  }

  /** Returns the inspection events since the last call, with the outbox, the failure and the state. */
  #told(): readonly TraceEntry[] {
    const { outbox, failure, state } = this.#stepper
    const kept = failure === undefined ? [keptOf(state)] : []
    return [...(this.#trace?.take() ?? []), [...outbox.keys()], [failure], kept]
  }

  #watch(event: Microstep): void {
    this.#onMicrostep(event)
    const ref = event.actorRef as AnyActorRef
    const snapshot = event.snapshot as { value?: unknown; status: string }
    if (snapshot.status === 'stopped' || snapshot.value === undefined) return
    const isRoot = ref._parent === undefined
    if (!isRoot && ref.src !== 'toolCall') return
    const id = isRoot ? '' : ref.id
    const to = topLevelState(snapshot.value)
    const from = this.#tops.get(id) ?? 'new'
    if (from === to) return
    this.#tops.set(id, to)
    if (isRoot) this.#happenings.push({ kind: 'top', from, to })
    else this.#happenings.push({ kind: 'hop', callId: id, from: from as CallStatus, to: to as CallStatus })
  }
}

/** The maximum happenings in one step, far above any sound chart; endless answers would fill the memory. */
const mostHappenings = 10_000

/** Moves effects last, because the interpreter starts the first effects before the actions of the start. */
function effectsLast({ happenings, standing }: Step): Step {
  const isEffect = (seen: Happening) => seen.kind === 'effect'
  return { happenings: [...happenings.filter((seen) => !isEffect(seen)), ...happenings.filter(isEffect)], standing }
}

function topEntry([id, value]: [string, unknown]): [string, string] {
  return [id, topLevelState(value)]
}

/** Returns the part of a stored state that can differ between interpreters. */
function keptOf(state: ActorState): unknown {
  const { status, output } = state
  if (!isMachineState(state)) return [status, output, state.key, state.input]
  const children = Object.entries(state.children).map(([id, { src, snapshot }]) => [id, src, keptOf(snapshot)])
  return [status, output, state.value, state.context, children]
}
