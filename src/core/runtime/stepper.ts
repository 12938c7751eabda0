import type { CallStatus } from '../domain/call.ts'
import type { Json } from '../domain/text/json.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { Inspect } from '../ports/inspect.ts'
import { type ChildState, isMachineState, type MachineState } from '../step/actor-state.ts'
import type { Told } from '../step/effect-logic.ts'
import { copyState } from '../step/step.ts'
import type { ActorChange, Step, StepOptions } from '../step/step-system.ts'
import { Change, type PendingEffect, type TurnStanding } from './change.ts'
import type { Migrations } from './migration.ts'
import { ignoreThrows } from '../domain/ignore-throws.ts'
import { type Captured, type ContextDefaults, persistActor, type StoredActor, topLevelState } from './persist.ts'
import type { RunLog } from './run-log.ts'

/** The charts of a run, with the states of its calls. */
export interface Charts {
  /** Makes the function that steps the root machine and all it nests. */
  step(options: StepOptions): Step
  /** The name of the child logic that is stored as one row per call. */
  readonly rowSource: string
  /** Ids of the calls whose records may still change, by the root machine's context. */
  openCalls(context: unknown): readonly string[]
  /** Rows of the inbox that the run still has to read, by the root machine's context. */
  queuedRows(context: unknown): readonly number[]
  /** The status of a run, by the top-level state of its root machine. Default: that state. */
  statusOf?(state: string): string
  /** Returns why a run ended or waits, by the root machine's context; null if neither. */
  outcome(context: unknown): Outcome | null
  /** Returns the position of a stored run in its turn, by the root machine's state and context and the log. */
  turnAt(value: unknown, context: unknown, log: RunLog): TurnStanding
  /** Contexts the machines start with, so that documents hold only what changed. */
  defaults(input: unknown): ContextDefaults
  /** The migrations of documents. Default: those of this version. */
  readonly migrations?: Migrations
}

/** The charts to step, and the receiver of their requests. */
export interface StepperOptions {
  readonly charts: Charts
  /** Input of the root machine, whether it starts or is restored. */
  readonly input: unknown
  /** The state to continue from. Default: a new run. */
  readonly snapshot?: MachineState
  /** See `StepOptions.keyFor`. */
  readonly keyFor: StepOptions['keyFor']
  /** Receives the results of the charts' own actions. */
  readonly told: Told
  /** Receives effects, and calls that have moved. Default: one that is never committed. */
  readonly change?: Change
  readonly setStatus?: (callId: string, status: CallStatus) => void
  readonly inspect?: Inspect
  /** Receives changes as they happen. */
  readonly onChange?: (change: ActorChange) => void
}

/** The state of one run's charts: it processes events and adds what the charts want to the change. */
export class Stepper {
  readonly outbox = new Map<string, PendingEffect>()
  /** Contexts the machines start with. */
  readonly defaults: ContextDefaults
  readonly #options: StepperOptions
  readonly #step: Step
  readonly #change: Change
  /** The calls that the current step moves. */
  #moved: Map<string, MachineState> | undefined
  #state: MachineState | undefined

  constructor(options: StepperOptions) {
    this.#options = options
    this.defaults = options.charts.defaults(options.input)
    const { keyFor, told: shown, inspect } = options
    this.#change = options.change ?? new Change()
    const tell = (change: ActorChange) => this.#take(change)
    const seen = inspect === undefined ? {} : { inspect: ignoreThrows(inspect) }
    this.#step = options.charts.step({ keyFor, tell, shown: this.#behindMoves(shown), ...seen })
  }

  /** The reason why the run ended or waits; undefined if neither. */
  get outcome(): Outcome | undefined {
    return this.#options.charts.outcome(this.context) ?? undefined
  }

  /** Throws if the charts have no such state. */
  start(): void {
    const { snapshot, input } = this.#options
    this.#arrive(() => (snapshot === undefined ? this.#step.begin(input) : this.#step.load(snapshot)))
    if (snapshot !== undefined) this.#change.moved = undefined
  }

  /** A root that has ended takes nothing more; what comes too late is consumed without effect. */
  send(event: { readonly type: string }): void {
    this.#arrive(() => this.#step.send(this.state, event))
  }

  /** Notifies the effect's actor that the effect is done. Does nothing if the chart has stopped that actor. */
  complete(key: string, output: unknown): void {
    const effect = this.outbox.get(key)
    if (effect === undefined) return
    this.outbox.delete(key)
    this.#change.asked?.delete(key)
    this.#arrive(() => this.#step.complete(this.state, effect, output))
  }

  /** Sets the states of moved calls before the charts name a checkpoint or announce a consequence. */
  #behindMoves(shown: Told): Told {
    return {
      record: (writes) => shown.record(writes),
      checkpoint: (name) => {
        this.#setMoved()
        shown.checkpoint(name)
      },
      announce: (announcement) => {
        this.#setMoved()
        shown.announce(announcement)
      },
    }
  }

  #arrive(step: () => MachineState): void {
    this.#state = step()
    this.#setMoved()
  }

  #setMoved(): void {
    const moved = this.#moved
    if (moved === undefined) return
    const { setStatus } = this.#options
    for (const [id, { value }] of moved) setStatus?.(id, topLevelState(value) as CallStatus)
    this.#moved = undefined
  }

  #take(change: ActorChange): void {
    switch (change.kind) {
      case 'asked': {
        const effect = { ...change.effect, isLaunched: false }
        this.outbox.set(effect.key, effect)
        if (effect.isRestored) break
        this.#change.asked ??= new Map()
        this.#change.asked.set(effect.key, effect)
        break
      }
      case 'withdrawn':
        if (!this.outbox.delete(change.key)) return
        this.#change.asked?.delete(change.key)
        this.#change.withdrawn.push(change.key)
        break
      case 'moved':
        if (change.src !== this.#options.charts.rowSource) break
        this.#change.moved ??= new Set()
        this.#change.moved.add(change.id)
        this.#moved ??= new Map()
        this.#moved.set(change.id, change.state)
        break
      case 'leftOut':
        break
    }
    this.#options.onChange?.(change)
  }

  /** The current tree of snapshots. */
  get state(): MachineState {
    if (this.#state === undefined) throw new Error('The charts were asked for their state before they were started.')
    return this.#state
  }

  /** The status of the run. */
  get status(): string {
    const state = topLevelState(this.state.value)
    return this.#options.charts.statusOf?.(state) ?? state
  }

  get context(): unknown {
    return this.state.context
  }

  /** The nested state value, for tests and viewers. */
  get value(): Json {
    return this.state.value
  }

  /** Set once the root has failed; it takes no further events. */
  get failure(): unknown {
    const { status, error } = this.state
    return status === 'error' ? (error ?? new Error('The charts failed.')) : undefined
  }

  /** The current state of the whole machine, in its stored form. */
  persisted(): StoredActor {
    return persistActor('root', this.state, this.defaults, this.#change.unlaunched)
  }

  /** Keeps the current state of the whole machine, so that it can be stored later. */
  capture(): Captured {
    return { state: copyState(this.state), defaults: this.defaults, unlaunched: this.#change.unlaunched }
  }

  /** A live call as it is stored; undefined for one that is over. */
  persistedCall(callId: string): { readonly src: string; readonly snapshot: StoredActor } | undefined {
    const child = Object.hasOwn(this.state.children, callId) ? this.state.children[callId] : undefined
    if (child === undefined) return undefined
    const { src, snapshot } = child
    return { src, snapshot: persistActor(src, snapshot, this.defaults, this.#change.unlaunched) }
  }

  /** Ids of live calls that have moved, or ask for an effect that is not on record. */
  changedRows(): readonly string[] {
    const { moved } = this.#change
    const isRow = ({ src }: ChildState) => src === this.#options.charts.rowSource
    return Object.entries(this.state.children)
      .filter(([id, child]) => isRow(child) && (moved?.has(id) === true || this.#asksAnew(child)))
      .map(([id]) => id)
  }

  #asksAnew({ snapshot }: ChildState): boolean {
    const { asked } = this.#change
    if (asked === undefined || !isMachineState(snapshot)) return false
    return Object.values(snapshot.children).some(
      ({ snapshot: child }) => !isMachineState(child) && asked.has(child.key),
    )
  }
}
