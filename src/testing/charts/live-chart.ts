import type { AnyActorRef, InspectionEvent } from 'xstate'
import type { RunInput } from '../../../machines/run/run.types.ts'
import type { CallStatus } from '../../domain/call.ts'
import type { JsonObject } from '../../domain/json.ts'
import { topLevelState } from '../../runtime/persist.ts'
import type { Outbox } from '../../runtime/effect-logic.ts'
import { type Charts, Stepper } from '../../runtime/stepper.ts'
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
  readonly from?: { readonly standing: Standing; readonly snapshot: JsonObject }
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
  #keys: number
  #root: AnyActorRef | undefined
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
      charts: this.#listened(charts),
      input,
      ...(from === undefined ? {} : { snapshot: from.snapshot }),
      keyFor: (restored) => restored ?? `k${this.#keys++}`,
      record: (writes) => void this.#happenings.push(...writes.map((write) => ({ kind: 'write' as const, write }))),
      announce: (announcement) => void this.#happenings.push({ kind: 'announcement', announcement }),
      setStatus: () => {},
      inspect: (event: InspectionEvent) => {
        this.#root ??= event.actorRef as AnyActorRef
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

  /** The snapshot the interpreter itself would keep. */
  get interpreted(): unknown {
    return this.#root?.getPersistedSnapshot()
  }

  close(): void {
    this.#stepper.close()
    this.#twin?.close()
  }

  #during(act: (live: { readonly stepper: Stepper }) => void): Step {
    this.#happenings = []
    act({ stepper: this.#stepper })
    const { standing } = this
    if (this.#twin !== undefined) {
      act({ stepper: this.#twin.#stepper })
      compareTraces(this.#told(), this.#twin.#told())
    }
    return { happenings: this.#happenings, standing }
  }

  /** What the interpreter told since the last call, and what it left in the outbox. */
  #told(): readonly TraceEntry[] {
    return [...(this.#trace?.take() ?? []), [...this.#stepper.outbox.keys()], [this.#stepper.failure]]
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

  /** The same charts, whose checkpoint names and effects are heard on their way to the outbox. */
  #listened(charts: Charts): Charts {
    const { outboxes } = charts
    let heard: Outbox | undefined
    return {
      ...charts,
      outboxes: {
        expect: (outbox) => outboxes.expect((heard = this.#listening(outbox))),
        tie: (system, outbox) => outboxes.tie(system, heard ?? outbox),
      },
    }
  }

  #listening(outbox: Outbox): Outbox {
    return {
      ...outbox,
      checkpoint: (name) => {
        this.#happenings.push({ kind: 'name', name })
        outbox.checkpoint(name)
      },
      add: (effect) => {
        if (this.#happenings.length > mostHappenings) throw new Error('The step does not end.')
        outbox.add(effect)
        this.#happenings.push({ kind: 'effect', effect: openEffect(effect) })
      },
    }
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
