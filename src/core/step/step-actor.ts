import type { Actor, ActorSystem, Cell } from './actor.ts'
import { type ActorState, type Children, type EffectState, isMachineState } from './actor-state.ts'
import type { AssembledChart } from './assembled-chart.ts'
import { shownState } from './inspection.ts'
import { Mailbox } from './mailbox.ts'
import { enterMachine, stepMachine } from './machine-steps.ts'
import { type ChartEvent, xstateEvents } from './xstate-parts.ts'

/**
 * One actor while a step is taken: XState's order of mailboxes, actions and deferred sends over plain data. Between two
 * steps it holds nothing but its place in the tree.
 *
 * A running actor's own actions are taken at once; what it sends, starts and stops waits until its snapshot is set, first in
 * first out. Before an actor has started everything waits.
 */
export class StepActor implements Actor {
  readonly id: string
  readonly src: string
  readonly cell: Cell
  readonly system: ActorSystem
  /** The name is that of XState, for inspectors. */
  readonly _parent: StepActor | undefined
  readonly chart: AssembledChart | 'effect'
  #processing: 'notStarted' | 'running' | 'stopped'
  #deferred: (() => void)[] | undefined
  readonly #mailbox = new Mailbox<ChartEvent>()
  /** The children that have received events: each keeps its identity. */
  #children: Map<string, StepActor> | undefined
  #sessionId: string | undefined
  #input: unknown

  constructor({ id, cell, parent, chart, system, isRunning }: StepActorParts) {
    this.id = id
    this.src = cell.src
    this.cell = cell
    this.system = system
    this._parent = parent
    this.chart = chart
    this.#processing = isRunning ? 'running' : 'notStarted'
    if (isRunning) this.#mailbox.open()
  }

  /** The machine under its name in XState, for inspectors. */
  get logic(): object | undefined {
    return this.chart === 'effect' ? undefined : this.chart.machine
  }

  /** For inspectors; made on first use. */
  get sessionId(): string {
    return (this.#sessionId ??= this.system.nextSessionId())
  }

  getSnapshot(): unknown {
    return shownState(this, this.cell.snapshot)
  }

  get isStopped(): boolean {
    return this.#processing === 'stopped'
  }

  /** The actor of a child; undefined if there is none with this id, or none that its chart knows. */
  child(children: Children, id: string): StepActor | undefined {
    const cell = Object.hasOwn(children, id) ? children[id] : undefined
    if (cell === undefined) return undefined
    const known = this.#children?.get(id)
    if (known?.cell === cell) return known
    return this.adopt(id, cell, cell.snapshot.status === 'active')
  }

  /** The actor of a child's place; undefined if the chart does not know it. */
  adopt(id: string, cell: Cell, isRunning: boolean): StepActor | undefined {
    const chart = this.chart === 'effect' ? undefined : this.chart.actor(cell.src)
    if (chart === undefined) return undefined
    const child = new StepActor({ id, cell, parent: this, chart, system: this.system, isRunning })
    this.#children ??= new Map()
    this.#children.set(id, child)
    return child
  }

  /** The child is no longer there. */
  forget(child: Actor): void {
    if (this.#children?.get(child.id) === child) this.#children.delete(child.id)
  }

  /** Makes a child, which takes its first steps at once, and starts later. */
  spawn(src: string, id: string, input: unknown): StepActor {
    const child = this.adopt(id, { src, syncSnapshot: false, snapshot: nothing }, false)
    if (child === undefined) throw new Error(`The chart has no actor "${src}".`)
    child.enter(input)
    return child
  }

  /** Takes the first steps of an actor that has not started. */
  enter(input: unknown): void {
    this.#input = input
    this.system.inspection?.made(this)
    this.cell.snapshot = this.#firstState(input)
  }

  #firstState(input: unknown): ActorState {
    if (this.chart !== 'effect') return enterMachine(this.chart, this, input)
    const key = this.system.keyFor(undefined)
    return { status: 'active', output: undefined, error: undefined, key, input }
  }

  startUnlessStopped(): void {
    if (!this.isStopped) this.start()
  }

  start(): void {
    if (this.#processing === 'running') return
    this.#processing = 'running'
    const { snapshot } = this.cell
    const init: ChartEvent = { type: xstateEvents.init, input: this.#input }
    this.#input = undefined
    this.system.inspection?.sent(this._parent, this, init)
    if (snapshot.status === 'error') return this.#fail(snapshot.error)
    if (snapshot.status === 'active') this.#startWithin(snapshot)
    this.#update(snapshot, init)
    this.#mailbox.start(this)
  }

  /** Starts the children of a machine before the machine itself; requests an effect. */
  #startWithin(snapshot: ActorState): void {
    if (isMachineState(snapshot)) {
      for (const id in snapshot.children)
        if (snapshot.children[id]?.snapshot.status === 'active') this.child(snapshot.children, id)?.start()
    } else this.system.ask(this, snapshot)
  }

  /** Sends an event to an actor of the tree. */
  relay(to: Actor, event: ChartEvent): void {
    this.system.inspection?.sent(this, to, event)
    to.receive(event)
  }

  receive(event: ChartEvent): void {
    if (!this.isStopped) this.#mailbox.enqueue(event, this)
  }

  /** Runs an action now, or once the actor has started. */
  act(type: string, params: unknown, perform: (() => void) | undefined): void {
    const { inspection } = this.system
    if (perform === undefined && inspection === undefined) return
    if (this.#processing === 'notStarted') return this.defer(() => this.act(type, params, perform))
    inspection?.acted(this, type, params)
    perform?.()
  }

  defer(act: () => void): void {
    this.#deferred ??= []
    this.#deferred.push(act)
  }

  /** A running actor first receives the events that were sent to it before. */
  stopChild(child: StepActor): void {
    if (child.#processing === 'running') this.defer(() => child.stop())
    else child.stop()
  }

  stop(): void {
    if (this.isStopped) return
    this.#mailbox.clear()
    if (this.#processing === 'notStarted') this.#processing = 'stopped'
    else this.#mailbox.enqueue({ type: xstateEvents.stop }, this)
  }

  /** Takes one event from the mailbox. */
  process(event: ChartEvent): void {
    let next: ActorState
    try {
      next = this.#next(event)
    } catch (error) {
      this.cell.snapshot = { ...this.cell.snapshot, status: 'error', error }
      this.system.moved(this)
      this.#fail(error)
      return
    }
    this.#update(next, event)
    if (event.type === xstateEvents.stop) this.#halt()
  }

  #next(event: ChartEvent): ActorState {
    const { snapshot } = this.cell
    if (!isMachineState(snapshot)) return this.#nextOfEffect(snapshot, event)
    return this.chart === 'effect' ? snapshot : stepMachine(this.chart, this, snapshot, event)
  }

  #nextOfEffect({ key, input, ...rest }: EffectState, event: ChartEvent): EffectState {
    if (event.type === xstateEvents.stop) {
      this.system.withdraw(key)
      return { status: 'stopped', output: undefined, error: undefined, key, input }
    }
    if (event.type !== 'effect.completed') return this.cell.snapshot as EffectState
    return { ...rest, status: 'done', output: event['output'], error: undefined, key, input: undefined }
  }

  #update(snapshot: ActorState, event: ChartEvent): void {
    const { cell } = this
    if (cell.snapshot !== snapshot || event.type === xstateEvents.init) {
      cell.snapshot = snapshot
      this.system.moved(this)
    }
    this.#takeDeferred(snapshot)
    const { status, output, error } = cell.snapshot
    if (status === 'done') {
      this.#halt()
      const { id, _parent: parent } = this
      if (parent !== undefined) this.relay(parent, { type: `${xstateEvents.doneActor}${id}`, output, actorId: id })
    } else if (status === 'error') this.#fail(error)
    this.system.inspection?.updated(this, event, snapshot)
  }

  /** Only the first actions of an actor throw here. */
  #takeDeferred(snapshot: ActorState): void {
    const deferred = this.#deferred
    if (deferred === undefined) return
    for (let act = deferred.shift(); act !== undefined; act = deferred.shift()) {
      try {
        act()
      } catch (error) {
        deferred.length = 0
        this.cell.snapshot = { ...snapshot, status: 'error', error }
      }
    }
  }

  #fail(error: unknown): void {
    this.#halt()
    const { id, _parent: parent } = this
    if (parent !== undefined) this.relay(parent, { type: `${xstateEvents.errorActor}${id}`, error, actorId: id })
  }

  #halt(): void {
    if (this.#processing !== 'running') return
    this.#mailbox.close()
    this.#processing = 'stopped'
  }
}

/** The placeholder until an actor has its first state. */
const nothing: EffectState = { status: 'stopped', output: undefined, error: undefined, key: '', input: undefined }

/** The dependencies of an actor. */
export interface StepActorParts {
  readonly id: string
  readonly cell: Cell
  readonly parent: StepActor | undefined
  readonly chart: AssembledChart | 'effect'
  readonly system: ActorSystem
  /** True if it was in the tree before the step. */
  readonly isRunning: boolean
}
