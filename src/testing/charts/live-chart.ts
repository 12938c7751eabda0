import type { AnyActorRef, InspectionEvent } from 'xstate'
import type { RunInput } from '../../../machines/run/run.types.ts'
import type { CallStatus } from '../../core/domain/call.ts'
import { topLevelState } from '../../core/runtime/persist.ts'
import { type Charts, Stepper } from '../../core/runtime/stepper.ts'
import { type ActorState, isMachineState, type MachineState } from '../../core/step/actor-state.ts'
import { compareTraces, InterpreterTrace, type TraceEntry } from './interpreter-trace.ts'
import type { Happening, OpenEffect, Standing } from './exploration-types.ts'
import { openEffect, standingOf } from './standing.ts'

type Microstep = Extract<InspectionEvent, { type: '@xstate.microstep' }>

/** Sees every transition taken; the place of coverage. */
export type MicrostepWatcher = (event: Microstep) => void

/** What one move did: everything seen on the way, and how the run stands afterwards. */
export interface Step {
  readonly happenings: readonly Happening[]
  readonly standing: Standing
}

/** What a live chart is made of. */
export interface LiveChartParts {
  readonly charts: Charts
  readonly input: RunInput
  readonly onMicrostep: MicrostepWatcher
  /** How a run stood, and its snapshot: the chart goes on from there. Default: a new run, which `open` starts. */
  readonly from?: { readonly standing: Standing; readonly snapshot: MachineState }
  /** The same charts stepped otherwise: every step is taken by both, and an `InterpretersDiffer` thrown where they part. */
  readonly twin?: Charts
  /** Keeps what the interpreter tells; a chart with a twin does. Default false. */
  readonly isTraced?: boolean
}

/** One machine kept alive and listened to. */
export class LiveChart {
  readonly #stepper: Stepper
  readonly #onMicrostep: MicrostepWatcher
  /** The top-level state each actor was seen in last; the run goes by the empty name. */
  readonly #tops: Map<string, string>
  #happenings: Happening[] = []
  #isEndless = false
  #keys: number
  readonly #twin: LiveChart | undefined
  /** What the interpreter told, kept where there is a twin to compare it with. */
  readonly #trace: InterpreterTrace | undefined

  constructor({ charts, input, onMicrostep, from, twin, isTraced = twin !== undefined }: LiveChartParts) {
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

  /** Ends the effect an actor has under way; refuses where there is none. */
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

  /** The state XState's own actors would keep, where a twin is stepped by them. */
  get interpreted(): unknown {
    return this.#twin === undefined ? undefined : this.#twin.#stepper.state
  }

  /** What it is thrown into makes an error of an actor of it, each interpreter of another one. */
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

  /** What the interpreter told since the last call, and what it left in the outbox. */
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

/** Far more than a step of any sound chart has: actors that answer one another without end would fill the memory. */
const mostHappenings = 10_000

/** At the start of a run the interpreter starts its first effects before it acts. */
function effectsLast({ happenings, standing }: Step): Step {
  const isEffect = (seen: Happening) => seen.kind === 'effect'
  return { happenings: [...happenings.filter((seen) => !isEffect(seen)), ...happenings.filter(isEffect)], standing }
}

function topEntry([id, value]: [string, unknown]): [string, string] {
  return [id, topLevelState(value)]
}

/** A state as it is kept, without what is the same in all of them. */
function keptOf(state: ActorState): unknown {
  const { status, output } = state
  if (!isMachineState(state)) return [status, output, state.key, state.input]
  const children = Object.entries(state.children).map(([id, { src, snapshot }]) => [id, src, keptOf(snapshot)])
  return [status, output, state.value, state.context, children]
}
