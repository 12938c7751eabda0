import { stopChild } from 'xstate'
import type { ActorScope, ChartEvent, Machine, MachineSnapshot, StateNode, Transition } from './chart-parts.ts'
import { ChartTables, type Place, type Plan, type Row } from './chart-tables.ts'
import { resolveGroup, type Standing, type StepScope } from './resolve-actions.ts'

/**
 * Gives an assembled machine tables to take its steps by: which transitions a state has, which states each leaves and
 * enters and which actions that takes are worked out once, not at every step. Everything else stays the interpreter's:
 * actors, mailboxes, guards, actions, persisted snapshots. A chart the tables do not know is left as it is.
 * The gate holds both to each other microstep by microstep (ADR 1).
 */
export function compileChart<T extends object>(machine: T): T {
  const chart = machine as unknown as Machine
  if (!isKnown(chart.root, chart)) return machine
  const stepper = new TableStepper(chart)
  return Object.assign(machine, {
    transition: stepper.transition.bind(stepper),
    getInitialSnapshot: stepper.getInitialSnapshot.bind(stepper),
  })
}

/** One active state at a time, guards that are functions, final states at the top: what the tables know. */
function isKnown(node: StateNode, machine: Machine): boolean {
  const { type, parent, transitions, always = [], invoke, states } = node
  if (type === 'parallel' || type === 'history' || (type === 'final' && parent !== machine.root)) return false
  if (invoke.some(({ src }) => src.startsWith('xstate.invoke.'))) return false
  if ([...transitions.keys()].some((descriptor) => descriptor.includes('*'))) return false
  if (![...always, ...[...transitions.values()].flat()].every((transition) => isKnownTransition(transition, machine)))
    return false
  return Object.values(states).every((inner) => isKnown(inner, machine))
}

function isKnownTransition({ target = [], reenter, guard }: Transition, { implementations }: Machine): boolean {
  const named = typeof guard === 'object' ? guard.type : guard
  const check = typeof named === 'string' ? implementations.guards[named] : named
  const isPlain = check === undefined ? guard === undefined : typeof check === 'function' && !('check' in check)
  return isPlain && !reenter && target.length <= 1
}

/** Takes the steps of one machine by its tables. */
class TableStepper {
  readonly #machine: Machine
  readonly #tables: ChartTables
  /** The interpreter's own, for what the tables leave to it. */
  readonly #official: Pick<Machine, 'transition'>
  #methods: Pick<MachineSnapshot, 'matches' | 'hasTag' | 'can' | 'getMeta' | 'toJSON'> | undefined

  constructor(machine: Machine) {
    this.#machine = machine
    this.#tables = new ChartTables(machine)
    this.#official = { transition: machine.transition }
  }

  transition(snapshot: MachineSnapshot, event: ChartEvent, scope: ActorScope): MachineSnapshot {
    const place = this.#tables.placeOf(snapshot)
    const isOurs = place !== undefined && snapshot.status === 'active' && !event.type.startsWith('xstate.error.actor')
    if (!isOurs) return this.#official.transition(snapshot, event, scope)
    if (event.type === 'xstate.stop') return this.#stop(snapshot, event, scope)
    const internalQueue: ChartEvent[] = []
    const row = this.#selectFor(event, place, snapshot)
    const next = this.#take(row, { at: place, snapshot }, event, scope, internalQueue)
    return this.#settle(next, event, scope, internalQueue)
  }

  getInitialSnapshot(scope: ActorScope, input: unknown): MachineSnapshot {
    const event = { type: 'xstate.init', input }
    const internalQueue: ChartEvent[] = []
    const { config } = this.#machine
    const opening = this.#tables.opening
    let before = this.#unentered(typeof config.context === 'object' && config.context !== null ? config.context : {})
    try {
      if (typeof config.context === 'function') before = this.#withContext(config.context, before, event, scope)
      const at = { ...opening.next, nodes: before._nodes }
      const first = this.#follow(opening, { at, snapshot: before }, event, scope, internalQueue)
      return this.#settle(first, event, scope, internalQueue)
    } catch (error) {
      return { ...before, status: 'error', error }
    }
  }

  /** After a transition: those without an event, then what was raised, until nothing moves. */
  #settle(from: Arrived, event: ChartEvent, scope: ActorScope, internalQueue: ChartEvent[]): MachineSnapshot {
    const limit = this.#machine.options?.maxIterations ?? Infinity
    let here = from
    let current = event
    let mayMove = true
    for (let count = 1; here.snapshot.status === 'active'; count++) {
      if (count > limit) throw new Error(endless(limit))
      let row: Row | undefined = mayMove ? this.#select(here.at.always, here.snapshot, current) : undefined
      const previous: MachineSnapshot | undefined = row === undefined ? undefined : here.snapshot
      if (row === undefined) {
        const raised = internalQueue.shift()
        if (raised === undefined) break
        current = raised
        row = this.#selectFor(raised, here.at, here.snapshot)
      }
      here = this.#take(row, here, current, scope, internalQueue)
      mayMove = here.snapshot !== previous
    }
    if (here.snapshot.status !== 'active') this.#stopChildren(here.snapshot, current, scope)
    return here.snapshot
  }

  #selectFor(event: ChartEvent, { on }: Place, snapshot: MachineSnapshot): Row | undefined {
    try {
      return this.#select(on(event.type), snapshot, event)
    } catch (error) {
      // The interpreter says which guard of which state it was.
      this.#machine.getTransitionData(snapshot, event)
      throw error
    }
  }

  #select(rows: readonly Row[], { context }: MachineSnapshot, event: ChartEvent): Row | undefined {
    for (const row of rows) {
      const { guard } = row
      if (guard === undefined) return row
      const params = typeof guard.params === 'function' ? guard.params({ context, event }) : guard.params
      if (guard.check({ context, event }, params)) return row
    }
    return undefined
  }

  /** Takes one transition, or none, and tells whoever inspects. */
  #take(
    row: Row | undefined,
    here: Arrived,
    event: ChartEvent,
    scope: ActorScope,
    internalQueue: ChartEvent[],
  ): Arrived {
    const next = row === undefined ? here : this.#follow(row.plan(), here, event, scope, internalQueue)
    scope.system._sendInspectionEvent({
      type: '@xstate.microstep',
      actorRef: scope.self,
      event,
      snapshot: next.snapshot,
      _transitions: row === undefined ? [] : [row.transition],
    })
    return next
  }

  #follow(
    { groups, next }: Plan,
    { at, snapshot }: Arrived,
    event: ChartEvent,
    actor: ActorScope,
    internalQueue: ChartEvent[],
  ): Arrived {
    const standing: Standing = { context: snapshot.context, children: snapshot.children, isChanged: false }
    const snapshotOf = ({ context, children, isChanged }: Standing) =>
      isChanged ? this.#snapshot(at, { ...snapshot, context, children }) : snapshot
    const step: StepScope = { tables: this.#tables, actor, event, internalQueue, isGivenUp: true, snapshotOf }
    for (const group of groups) resolveGroup(group, standing, step)
    const { context, children } = standing
    if (next.final !== undefined) return this.#finish(next, next.final, standing, snapshot, step)
    if (!standing.isChanged && next.nodes === at.nodes) return { at: next, snapshot }
    return { at: next, snapshot: this.#snapshot(next, { ...snapshot, context, children }) }
  }

  /** A final state at the top ends the machine: its output, then the exits of everything. */
  #finish(at: Place, final: StateNode, standing: Standing, snapshot: MachineSnapshot, step: StepScope): Arrived {
    const { actor, event } = step
    const { root } = this.#machine
    const { self } = actor
    const resolve = (mapper: unknown, about: object) =>
      typeof mapper === 'function' ? (mapper({ context: standing.context, event: about, self }) as unknown) : mapper
    const outputOf = () => (final.output === undefined ? undefined : resolve(final.output, event))
    step.internalQueue.push({ type: `xstate.done.state.${root.id}`, output: outputOf() })
    const about = () => ({ type: `xstate.done.state.${final.id}`, output: outputOf() })
    const output = root.output === undefined ? undefined : resolve(root.output, about())
    const nodes = at.nodes.toReversed()
    const exits = nodes.flatMap(({ exit }) => exit.map((action) => this.#tables.bind(action)))
    standing.isChanged = true
    resolveGroup({ actions: exits, deferredActorIds: undefined }, standing, step)
    const { context, children } = standing
    const done = { ...snapshot, context, children, status: 'done' as const, output }
    return { at, snapshot: { ...this.#snapshot(at, done), _nodes: nodes } }
  }

  #stop(snapshot: MachineSnapshot, event: ChartEvent, scope: ActorScope): MachineSnapshot {
    const children = this.#stopChildren(snapshot, event, scope)
    const stopped = { ...snapshot, children, status: 'stopped' as const }
    const microstep = { type: '@xstate.microstep', actorRef: scope.self, event, snapshot: stopped, _transitions: [] }
    scope.system._sendInspectionEvent(microstep)
    return stopped
  }

  #stopChildren(snapshot: MachineSnapshot, event: ChartEvent, actor: ActorScope): MachineSnapshot['children'] {
    const stops = Object.values(snapshot.children).map((child) => this.#tables.bind(stopChild(child as never) as never))
    const standing: Standing = { context: snapshot.context, children: snapshot.children, isChanged: true }
    const step: StepScope = {
      tables: this.#tables,
      actor,
      event,
      internalQueue: [],
      isGivenUp: false,
      snapshotOf: ({ children }) => ({ ...snapshot, children }),
    }
    resolveGroup({ actions: stops, deferredActorIds: undefined }, standing, step)
    return standing.children
  }

  #withContext(factory: object, before: MachineSnapshot, event: ChartEvent, actor: ActorScope): MachineSnapshot {
    const read = factory as (args: object) => object
    const assignment = ({ spawn, self }: { readonly spawn: unknown; readonly self: unknown }) =>
      read({ spawn, input: event['input'], self })
    const logic = Object.assign(() => {}, { type: 'xstate.assign', assignment, resolve: () => {} })
    const standing: Standing = { context: before.context, children: before.children, isChanged: false }
    const step: StepScope = {
      tables: this.#tables,
      actor,
      event,
      internalQueue: [],
      isGivenUp: false,
      snapshotOf: () => before,
    }
    const action = { type: logic.type, logic: logic as never, params: undefined }
    resolveGroup({ actions: [action], deferredActorIds: undefined }, standing, step)
    return { ...before, context: standing.context, children: standing.children }
  }

  /** A machine before it has entered anything but its root. */
  #unentered(context: object): MachineSnapshot {
    const { next } = this.#tables.opening
    const fields = { status: 'active', output: undefined, error: undefined, children: {}, historyValue: {} } as const
    return { ...this.#snapshot(next, { ...fields, context }), _nodes: [this.#machine.root] }
  }

  #snapshot(at: Place, fields: SnapshotFields): MachineSnapshot {
    const { matches, hasTag, can, getMeta, toJSON } = (this.#methods ??= this.#machine.resolveState({
      value: at.value,
      context: {},
    }))
    const { status, output, error, context, children, historyValue } = fields
    return {
      status,
      output,
      error,
      machine: this.#machine,
      context,
      _nodes: at.nodes,
      value: at.value,
      tags: at.tags,
      children,
      historyValue,
      matches,
      hasTag,
      can,
      getMeta,
      toJSON,
    }
  }
}

type SnapshotFields = Pick<MachineSnapshot, 'status' | 'output' | 'error' | 'context' | 'children' | 'historyValue'>

/** Where a step has come to. */
interface Arrived {
  readonly at: Place
  readonly snapshot: MachineSnapshot
}

function endless(limit: number): string {
  return `No end of transitions without an event: the machine took more than ${limit} and none led to a rest.`
}
