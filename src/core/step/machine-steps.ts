import { stopChild } from 'xstate'
import type { MachineState } from './actor-state.ts'
import type { AssembledChart } from './assembled-chart.ts'
import type { ActionGroup, Final, Place, Plan, Row } from './chart-tables.ts'
import { type ChildrenRecord, resolveGroup, type Standing, type StepScope } from './resolve-actions.ts'
import type { Actor } from './actor.ts'
import { type ChartEvent, xstateEvents } from './xstate-parts.ts'

interface Arrived {
  readonly at: Place
  readonly state: MachineState
}

/** The place before a step; undefined for a machine that has entered nothing. */
interface Departed {
  readonly at: Place | undefined
  readonly state: MachineState
}

interface Stepping {
  readonly chart: AssembledChart
  readonly actor: Actor
  readonly internalQueue: ChartEvent[]
}

/** Returns the initial state of a machine after its first actions; an error state if one of them fails. */
export function enterMachine(chart: AssembledChart, actor: Actor, input: unknown): MachineState {
  const event: ChartEvent = { type: xstateEvents.init, input }
  const stepping: Stepping = { chart, actor, internalQueue: [] }
  const { machine } = chart
  const { opening } = chart.tables
  const { context: given } = machine.config
  const head = { status: 'active', output: undefined, error: undefined, historyValue: {}, children: {} } as const
  // The machine has entered only its root.
  let before: MachineState = {
    ...head,
    value: opening.next.value,
    context: typeof given === 'object' && given !== null ? given : {},
  }
  try {
    if (chart.firstContext !== undefined) before = takeActions(chart.firstContext, before, event, stepping)
    return settle(follow(opening, { at: undefined, state: before }, event, stepping), event, stepping)
  } catch (error) {
    const failed: MachineState = { ...before, status: 'error', error }
    actor.system.inspection?.list(failed, [machine.root])
    return failed
  }
}

/**
 * Returns the state of a machine after an event: its transition, then eventless transitions and raised events, until no
 * transition is enabled.
 */
export function stepMachine(chart: AssembledChart, actor: Actor, state: MachineState, event: ChartEvent): MachineState {
  if (state.status !== 'active') return state
  const stepping: Stepping = { chart, actor, internalQueue: [] }
  const here = { at: chart.tables.placeOf(state.value), state }
  if (event.type === xstateEvents.stop) return leave(here, event, stepping, 'stopped')
  const row = selectFor(event, here, chart)
  if (row === undefined && event.type.startsWith(xstateEvents.errorActor)) return leave(here, event, stepping, 'error')
  return settle(take(row, here, event, stepping), event, stepping)
}

function settle(from: Arrived, event: ChartEvent, stepping: Stepping): MachineState {
  const { chart, internalQueue } = stepping
  const limit = chart.machine.options?.maxIterations ?? Infinity
  let here = from
  let current = event
  let mayMove = true
  for (let count = 1; here.state.status === 'active'; count++) {
    if (count > limit) throw new Error(endless(limit))
    let row: Row | undefined = mayMove ? select(here.at.always, here.state, current) : undefined
    const previous: MachineState | undefined = row === undefined ? undefined : here.state
    if (row === undefined) {
      const raised = internalQueue.shift()
      if (raised === undefined) break
      current = raised
      row = selectFor(raised, here, chart)
    }
    here = take(row, here, current, stepping)
    mayMove = here.state !== previous
  }
  // A machine that is over stops its children, and its record of them stays.
  if (here.state.status !== 'active') stopChildren({ ...here.state.children }, here, current, stepping)
  return here.state
}

function selectFor(event: ChartEvent, { at, state }: Arrived, { machine }: AssembledChart): Row | undefined {
  try {
    return select(at.on(event.type), state, event)
  } catch (error) {
    // The interpreter's error names the guard and its state.
    const { value, context } = state
    machine.getTransitionData({ machine, value, context }, event)
    throw error
  }
}

function select(rows: readonly Row[], { context }: MachineState, event: ChartEvent): Row | undefined {
  for (const row of rows) {
    const { guard } = row
    if (guard === undefined) return row
    const params = typeof guard.params === 'function' ? guard.params({ context, event }) : guard.params
    if (guard.check({ context, event }, params)) return row
  }
  return undefined
}

/** Takes at most one transition and reports it to inspectors. */
function take(row: Row | undefined, here: Arrived, event: ChartEvent, stepping: Stepping): Arrived {
  const next = row === undefined ? here : follow(row.plan(), here, event, stepping)
  const { actor } = stepping
  actor.system.inspection?.stepped(actor, event, next.state, row === undefined ? [] : [row.transition])
  return next
}

function follow({ groups, next }: Plan, from: Departed, event: ChartEvent, stepping: Stepping): Arrived {
  const { at, state } = from
  const standing: Standing = { context: state.context, children: state.children, isChanged: false }
  const { chart, actor, internalQueue } = stepping
  const scope: StepScope = { chart, actor, internalQueue, event, value: state.value }
  for (const group of groups) resolveGroup(group, standing, scope)
  if (next.final !== undefined) return finish(next, next.final, standing, state, scope)
  if (!standing.isChanged && next.nodes === at?.nodes) return { at: next, state }
  return { at: next, state: stateAt(next, state, standing) }
}

function stateAt(
  { value }: Place,
  { status, output, error, historyValue }: MachineState,
  standing: Standing,
): MachineState {
  return { status, output, error, value, historyValue, context: standing.context, children: standing.children }
}

/** Ends the machine in a final state at the top: its output, then all exits. */
function finish(
  at: Place,
  { node: final, exits }: Final,
  standing: Standing,
  state: MachineState,
  scope: StepScope,
): Arrived {
  const { actor, event, chart } = scope
  const { root } = chart.machine
  const resolve = (mapper: unknown, about: object) =>
    typeof mapper === 'function'
      ? (mapper({ context: standing.context, event: about, self: actor }) as unknown)
      : mapper
  const outputOf = () => (final.output === undefined ? undefined : resolve(final.output, event))
  scope.internalQueue.push({ type: `${xstateEvents.doneState}${root.id}`, output: outputOf() })
  const about = () => ({ type: `${xstateEvents.doneState}${final.id}`, output: outputOf() })
  const output = root.output === undefined ? undefined : resolve(root.output, about())
  resolveGroup(exits, standing, scope)
  const done = stateAt(at, { ...state, status: 'done', output }, standing)
  actor.system.inspection?.list(done, at.nodes.toReversed())
  return { at, state: done }
}

/** Stops the children of a machine that is stopped, or that did not handle a child's error. */
function leave(here: Arrived, event: ChartEvent, stepping: Stepping, status: 'stopped' | 'error'): MachineState {
  const { actor } = stepping
  const children = { ...here.state.children }
  stopChildren(children, here, event, stepping)
  const error = status === 'error' ? event['error'] : here.state.error
  const left: MachineState = { ...here.state, children, status, error }
  actor.system.inspection?.stepped(actor, event, left, [])
  return left
}

function stopChildren(record: ChildrenRecord, { at, state }: Arrived, event: ChartEvent, stepping: Stepping): void {
  const ids = Object.keys(record)
  if (ids.length === 0) return
  const { chart, actor } = stepping
  const actions = ids.map((id) => chart.tables.bind(stopChild(actor.child(record, id) as never) as never))
  const standing: Standing = { context: state.context, children: record, isChanged: true }
  resolveGroup({ actions, deferredActorIds: undefined }, standing, {
    ...stepping,
    internalQueue: [],
    event,
    value: at.value,
  })
}

function takeActions(group: ActionGroup, before: MachineState, event: ChartEvent, stepping: Stepping): MachineState {
  const standing: Standing = { context: before.context, children: before.children, isChanged: false }
  resolveGroup(group, standing, { ...stepping, event, value: before.value })
  return { ...before, context: standing.context }
}

function endless(limit: number): string {
  return `The machine took more than ${limit} transitions without an event and reached no resting state.`
}
