import { type AnyStateMachine, initialTransition, transition } from 'xstate'
import { initialTransition as initialTransition6, transition as transition6 } from 'xstate-6'
import { act, type Chart5, type ChartEvent, convert } from './convert.ts'
import { type Action5, actOf, nameOf, ownOf, sendOf, stopOf, type SnapshotOf, type Turn, turnOf } from './turn.ts'

/** A pure interpreter of one chart: snapshots go in and come out. */
export interface Interpreter {
  begin(input: unknown): Stepped
  step(from: SnapshotOf, event: ChartEvent): Stepped
}

/** A snapshot, and what is compared of the way to it. */
export interface Stepped {
  readonly snapshot: SnapshotOf
  readonly turn: Turn
  /** The contexts that the chart's own actions saw, which our step does not tell. */
  readonly contexts: readonly unknown[]
}

/** An actor that does nothing, for XState 5. */
const inert = {
  getInitialSnapshot: (_: unknown, input: unknown) => ({
    status: 'active',
    output: undefined,
    error: undefined,
    input,
  }),
  transition: (snapshot: unknown) => snapshot,
  getPersistedSnapshot: (snapshot: unknown) => snapshot,
}

interface Executable5 extends Action5 {
  readonly info: { readonly self: unknown; readonly context: unknown }
}

interface Child5 {
  readonly options: { readonly input?: unknown }
}

/** XState 5's own `transition`. */
export function interpreter5(machine: AnyStateMachine, actors: readonly string[]): Interpreter {
  const chart = machine.provide({ actors: Object.fromEntries(actors.map((src) => [src, inert])) as never })
  const stepped = (
    before: SnapshotOf['children'],
    [next, actions]: readonly [unknown, readonly unknown[]],
  ): Stepped => {
    const snapshot = next as SnapshotOf
    const started = Object.entries(snapshot.children).filter(([id, child]) => child !== before[id])
    const starts = started.map(([id, child]) => [id, (child as unknown as Child5).options.input])
    const executed = actions as readonly Executable5[]
    const acts = executed.flatMap((action) => actOf(action, action.info.self) ?? [])
    const contexts = executed.flatMap(({ type, info }) => (type.startsWith('xstate.') ? [] : [info.context]))
    return { snapshot, contexts, turn: turnOf(snapshot, Object.fromEntries(starts) as Turn['starts'], acts) }
  }
  return {
    begin: (input) => stepped({}, initialTransition(chart, input as never)),
    step: (from, event) => stepped(from.children, transition(chart, from as never, event as never)),
  }
}

/** An effect as XState 6 returns it. */
interface Effect6 {
  readonly type: string
  readonly action?: unknown
  readonly args: readonly unknown[]
  readonly source: unknown
  readonly target: { readonly id: string; readonly src: unknown }
  readonly event: ChartEvent
  readonly id: string
  readonly input: unknown
}

/** XState 6's own `transition`, of the converted chart. */
export function interpreter6(machine: Chart5, actors: readonly string[]): Interpreter {
  const chart = convert(machine, actors)
  const stepped = ([next, listed]: readonly [unknown, readonly unknown[]]): Stepped => {
    const snapshot = next as SnapshotOf
    const effects = listed as readonly Effect6[]
    const spawned = effects.filter(({ type }) => type === '@xstate.spawn')
    const starts = Object.fromEntries(spawned.map(({ id, input }) => [id, input]))
    const contexts = effects.flatMap(({ action, args }) => (action === act ? [args[2]] : []))
    return { snapshot, contexts, turn: turnOf(snapshot, starts, effects.flatMap(actOf6)) }
  }
  return {
    begin: (input) => stepped(initialTransition6(chart as never, input as never)),
    step: (from, event) => stepped(transition6(chart as never, from as never, eventOf(from, event) as never)),
  }
}

/** XState 6 has another name for a stop, and asks which incarnation of an actor has ended. */
function eventOf({ children }: SnapshotOf, event: ChartEvent): ChartEvent {
  if (event.type === 'xstate.stop') return { type: '@xstate.stop' }
  const id = /^xstate\.(?:done|error)\.actor\.(.+)$/.exec(event.type)?.[1]
  const child = id === undefined ? undefined : children[id]
  return child === undefined ? event : { ...event, sessionId: child.sessionId }
}

function actOf6({ type, action, args, source, target, event, id }: Effect6): readonly string[] {
  if (action === act) return [ownOf(String(args[0]), args[1])]
  switch (type) {
    case '@xstate.sendTo':
      return [sendOf(nameOf(target, source), event)]
    case '@xstate.stop':
      return [stopOf(id)]
    case '@xstate.spawn':
    case '@xstate.start':
    case '@xstate.terminate':
      return []
    default:
      return [`unknown effect ${type}`]
  }
}
