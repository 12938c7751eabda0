import { type AnyActorRef, type AnyStateMachine, createActor } from 'xstate'
import type { CallStatus } from '../domain/call.ts'
import type { Json, JsonObject } from '../domain/json.ts'
import type { Write } from '../domain/log.ts'
import type { CheckpointName } from '../domain/outcome.ts'
import {
  captureActor,
  type CapturedActor,
  type ContextDefaults,
  persistActor,
  type StoredActor,
  topLevelState,
} from './persist.ts'
import type { Migrations } from './document.ts'
import type { Inspect } from '../ports/inspect.ts'
import type { Announcement, Effect, Outbox } from './effect-logic.ts'
import type { OutboxBySystem } from './outbox-by-system.ts'
import { ignoreThrows } from './ignore-throws.ts'
import type { RunLog } from './run-log.ts'
import type { TurnStanding } from './turn-standing.ts'

/** The machine to interpret and how its calls stand in it. */
export interface Charts {
  /** The root machine, every outside actor and action of it bound to the outbox of its actor system. */
  assemble(): AnyStateMachine
  readonly outboxes: Pick<OutboxBySystem, 'expect' | 'tie'>
  /** Name of the child logic kept as one row a call. */
  readonly rowSource: string
  /** Ids of the calls whose records may still change, by the root machine's context. */
  openCalls(context: unknown): readonly string[]
  /** Where a stored run stands in its turn, by the root machine's state and context and its log. */
  turnAt(value: unknown, context: unknown, log: RunLog): TurnStanding
  /** Contexts the machines start with, so that documents hold only what changed. */
  defaults(input: unknown): ContextDefaults
  /** What brings documents of earlier charts forward. Default: what this version has. */
  readonly migrations?: Migrations
}

/** An effect of the outbox, between being asked for and being performed. */
export interface PendingEffect extends Effect {
  /** True once a commit holds it. */
  isCommitted: boolean
  isLaunched: boolean
}

/** The machine to step, and who hears what it asks for. */
export interface StepperOptions {
  readonly charts: Charts
  /** Input of the root machine, whether it starts or is restored. */
  readonly input: unknown
  readonly snapshot?: JsonObject
  /** Gives fresh effect keys; see `Outbox.keyFor`. */
  readonly keyFor: Outbox['keyFor']
  readonly record: (writes: readonly Write[]) => void
  readonly announce: (announcement: Announcement) => void
  readonly setStatus: (callId: string, status: CallStatus) => void
  readonly inspect?: Inspect
}

/** One live machine, stepped synchronously: events go in, effects, checkpoint names and announcements pile up. */
export class Stepper {
  readonly outbox = new Map<string, PendingEffect>()
  readonly withdrawn: string[] = []
  /** Keys of effects that were on record and that nobody launched: what is written from now on holds none of them. */
  readonly unlaunched = new Set<string>()
  names: CheckpointName[] = []
  #root: AnyActorRef
  /** Contexts the machines start with. */
  readonly defaults: ContextDefaults
  readonly #setStatus: StepperOptions['setStatus']
  readonly #rows = new Map<string, Row>()
  /** Ids of calls whose actors have moved since the rows were last tracked. */
  readonly #changed = new Set<string>()
  #failure: unknown
  #isClosed = false

  constructor(options: StepperOptions) {
    this.defaults = options.charts.defaults(options.input)
    this.#setStatus = options.setStatus
    const outbox: Outbox = {
      keyFor: options.keyFor,
      record: options.record,
      checkpoint: (name) => void this.names.push(name),
      announce: options.announce,
      add: (effect) =>
        void this.outbox.set(effect.key, { ...effect, isCommitted: effect.isRestored, isLaunched: false }),
      started: (call) => this.#watchRow(call),
      withdraw: (key) => {
        if (this.#isClosed || !this.outbox.delete(key)) return
        this.withdrawn.push(key)
      },
    }
    const { charts } = options
    charts.outboxes.expect(outbox)
    this.#root = createActor(charts.assemble(), {
      input: options.input,
      ...(options.snapshot === undefined ? {} : { snapshot: options.snapshot as never }),
      ...(options.inspect === undefined ? {} : { inspect: ignoreThrows(options.inspect) }),
    })
    charts.outboxes.tie(this.#root.system, outbox)
    this.#root.subscribe({ error: (error) => void (this.#failure = error) })
  }

  start(): void {
    this.#guard(() => this.#root.start())
    for (const row of this.#rows.values()) row.committed = row.ref.getSnapshot()
  }

  /** A root that has ended takes nothing more; what comes too late is consumed without effect. */
  send(event: { readonly type: string }): void {
    if (this.#root.getSnapshot().status !== 'active') return
    this.#guard(() => this.#root.send(event))
  }

  /** Tells the effect's actor that it is done; nobody where the chart has let go of it. */
  complete(key: string, output: unknown): void {
    const effect = this.outbox.get(key)
    if (effect === undefined) return
    this.outbox.delete(key)
    this.#guard(() => effect.actor.send({ type: 'effect.completed', output }))
  }

  /** Top-level state of the root. */
  get status(): string {
    return topLevelState(this.#root.getSnapshot().value)
  }

  get context(): unknown {
    return this.#root.getSnapshot().context
  }

  /** The nested state value, for tests and viewers. */
  get value(): Json {
    return this.#root.getSnapshot().value
  }

  /** Set once the root actor has failed; it takes no further events. */
  get failure(): unknown {
    return this.#failure
  }

  /** The whole machine as it stands now, as plain data. */
  persisted(): StoredActor {
    return this.persist(this.capture())
  }

  /** The whole machine as it stands now, to be written down when somebody asks. */
  capture(): CapturedActor {
    return captureActor(this.#root, 'root')
  }

  /** Plain data of a captured actor. */
  persist(captured: CapturedActor): StoredActor {
    return persistActor(captured, this.defaults, this.unlaunched)
  }

  /** Ids of live calls whose actors changed since the last `markCommitted`, or ask for an effect that is not on record. */
  changedRows(): readonly string[] {
    const isChanged = ({ ref, committed }: Row) => ref.getSnapshot() !== committed || this.#asksAnew(ref)
    return [...this.#rows].filter(([, row]) => isChanged(row)).map(([id]) => id)
  }

  #asksAnew(ref: AnyActorRef): boolean {
    const children: Children = ref.getSnapshot().children ?? {}
    return Object.values(children).some(
      (child) => this.outbox.get(String(child?.getSnapshot().key))?.isCommitted === false,
    )
  }

  markCommitted(): void {
    for (const row of this.#rows.values()) row.committed = row.ref.getSnapshot()
    for (const effect of this.outbox.values()) effect.isCommitted = true
    this.names = []
  }

  close(): void {
    this.#isClosed = true
    this.#root.stop()
  }

  #guard(step: () => void): void {
    step()
    this.#trackRows()
    const snapshot = this.#root.getSnapshot()
    if (snapshot.status === 'error') this.#failure ??= snapshot.error
  }

  /** Calls come and go inside a step; the last state seen is the state recorded. */
  #trackRows(): void {
    if (this.#changed.size === 0) return
    const children: Children = this.#root.getSnapshot().children ?? {}
    for (const id of this.#changed) {
      const row = this.#rows.get(id)
      if (row === undefined) continue
      this.#setStatus(id, topLevelState(row.ref.getSnapshot().value) as CallStatus)
      if (children[id] !== row.ref) this.#rows.delete(id)
    }
    this.#changed.clear()
  }

  #watchRow(ref: AnyActorRef): void {
    const { id } = ref
    const changed = () => void this.#changed.add(id)
    this.#rows.set(id, { ref, committed: undefined })
    changed()
    ref.subscribe({ next: changed, error: changed, complete: changed })
  }
}

/** The actor of a call, and its snapshot as the last commit holds it. */
interface Row {
  readonly ref: AnyActorRef
  committed: unknown
}

type Children = Readonly<Record<string, AnyActorRef | undefined>>
