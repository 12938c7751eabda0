import { assign } from 'xstate'
import { type ActionGroup, ChartTables } from './chart-tables.ts'
import {
  type ActionLogic,
  type ActionReference,
  type ChartEvent,
  inlineActor,
  type Machine,
  type StateNode,
  type Transition,
  xstateActions,
} from './xstate-parts.ts'

/** An assembled machine with its tables and the logic of its actors. */
export interface AssembledChart {
  readonly machine: Machine
  readonly tables: ChartTables
  /** Makes the first context, if a function of the input does. */
  readonly firstContext: ActionGroup | undefined
  /** A chart, an effect, or undefined if the machine has no actor of this name. */
  actor(src: string): AssembledChart | 'effect' | undefined
}

const charts = new WeakMap<Machine, AssembledChart | 'unknown'>()

/**
 * Returns the chart of an assembled machine and of all nested machines, or undefined if one of them uses a feature that
 * the tables do not support. Computed once per machine.
 */
export function chartOf(assembled: object): AssembledChart | undefined {
  const machine = assembled as Machine
  const known = charts.get(machine) ?? makeChart(machine)
  return known === 'unknown' ? undefined : known
}

function makeChart(machine: Machine): AssembledChart | 'unknown' {
  const actors = new Map<string, AssembledChart | 'effect'>()
  const chart: AssembledChart = {
    machine,
    tables: new ChartTables(machine),
    firstContext: firstContextOf(machine),
    actor: (src) => actors.get(src),
  }
  // A machine may be nested in itself.
  charts.set(machine, chart)
  const isKnown = isKnownMachine(machine) && Object.entries(machine.implementations.actors).every(isKnownActor)
  if (!isKnown) charts.set(machine, 'unknown')
  return isKnown ? chart : 'unknown'

  function isKnownActor([src, logic]: [string, unknown]): boolean {
    const actor = isEffect(logic) ? 'effect' : isMachine(logic) ? chartOf(logic) : undefined
    if (actor !== undefined) actors.set(src, actor)
    return actor !== undefined
  }
}

/** XState computes the first context by an `assign` too. */
function firstContextOf({ config }: Machine): ActionGroup | undefined {
  const { context } = config
  if (typeof context !== 'function') return undefined
  const logic = assign(({ spawn, event, self }) =>
    (context as (args: object) => object)({ spawn, input: (event as ChartEvent)['input'], self }),
  ) as unknown as ActionLogic
  return { actions: [{ type: xstateActions.assign, logic, params: undefined }], deferredActorIds: undefined }
}

/** Marks the logic of an actor that represents an effect on the outside. */
export const effectMark = Symbol('effect')

function isEffect(logic: unknown): boolean {
  return typeof logic === 'object' && logic !== null && effectMark in logic
}

function isMachine(logic: unknown): logic is Machine {
  return typeof logic === 'object' && logic !== null && 'root' in logic && 'implementations' in logic
}

/**
 * Returns true for a machine with one active state at a time, guards that are functions, final states at the top, and
 * actions without a clock.
 */
function isKnownMachine(machine: Machine): boolean {
  const { root, implementations } = machine
  return isKnownState(root, machine) && Object.values(implementations.actions).every(isKnownAction)
}

function isKnownState(node: StateNode, machine: Machine): boolean {
  const { type, parent, transitions, always = [], invoke, states, entry, exit, initial } = node
  if (type === 'parallel' || type === 'history' || (type === 'final' && parent !== machine.root)) return false
  if (invoke.some(({ src, systemId, onSnapshot }) => src.startsWith(inlineActor) || systemId || onSnapshot))
    return false
  if ([...transitions.keys()].some((descriptor) => descriptor.includes('*'))) return false
  if (![...entry, ...exit, ...initial.actions].every(isKnownReference)) return false
  if (![...always, ...[...transitions.values()].flat()].every((transition) => isKnownTransition(transition, machine)))
    return false
  return Object.values(states).every((inner) => isKnownState(inner, machine))
}

function isKnownTransition(
  { target = [], reenter, guard, actions }: Transition,
  { implementations }: Machine,
): boolean {
  const named = typeof guard === 'object' ? guard.type : guard
  const check = typeof named === 'string' ? implementations.guards[named] : named
  const isPlain = check === undefined ? guard === undefined : typeof check === 'function' && !('check' in check)
  return isPlain && !reenter && target.length <= 1 && actions.every(isKnownReference)
}

function isKnownReference(action: ActionReference): boolean {
  return typeof action !== 'function' || isKnownAction(action)
}

/** Returns true for the application's own actions, and for those of the interpreter that the tables support. */
function isKnownAction(action: ActionLogic | undefined): boolean {
  if (action?.resolve === undefined) return true
  const { type = '', delay, src, systemId, syncSnapshot } = action
  if (delay !== undefined || systemId !== undefined || syncSnapshot === true) return false
  return knownActions.has(type) && (src === undefined || typeof src === 'string')
}

const knownActions: ReadonlySet<string> = new Set(Object.values(xstateActions))
