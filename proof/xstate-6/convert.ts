import { createMachine } from 'xstate-6'
import { defined } from '../../src/core/domain/text/json.ts'
import {
  type Candidate,
  copyConfig,
  type Invocation,
  type Named,
  type StateConfig,
} from '../../src/testing/charts/chart-config.ts'

/** A chart of XState 5, as far as the converter reads it. */
export interface Chart5 {
  readonly config: { readonly context?: unknown; readonly output?: unknown }
  readonly implementations: {
    readonly actions: { readonly [name: string]: unknown }
    readonly guards: { readonly [name: string]: unknown }
  }
}

/** An event of a chart. */
export interface ChartEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** A function of our charts: guards, assigners, params, inputs and outputs. */
type Part<Result = unknown> = (args: Args, params?: unknown) => Result

/** The arguments that XState 5 gives to the functions of a chart. */
interface Args {
  readonly context: object
  readonly event: ChartEvent
  readonly self: unknown
}

/** The arguments that XState 6 gives to a transition or an entry. */
interface Given extends Args {
  readonly children: { readonly [id: string]: unknown }
}

/** XState 6's `enq`. */
interface Enqueue {
  (action: () => void, ...args: readonly unknown[]): void
  sendTo(actor: unknown, event: ChartEvent): void
  spawn(src: string, options: { readonly id: string; readonly input: unknown }): unknown
  stop(actor: unknown): void
}

/** The actions of XState 5 that our charts use, by the fields they carry. */
type Action5 =
  | { readonly type: 'xstate.assign'; readonly assignment: (args: object, params: unknown) => object }
  | { readonly type: 'xstate.sendTo'; readonly to: unknown; readonly event: unknown }
  | { readonly type: 'xstate.stopChild'; readonly actorRef: unknown }
  | { readonly type: 'xstate.enqueueActions'; readonly collect: (args: object, params: unknown) => void }
  | { readonly type?: undefined }

/** An actor that does nothing: who is started, with which input, is compared, and not what it does. */
const inert = {
  initialTransition: (input: unknown) => [{ status: 'active', output: undefined, error: undefined, input }, []],
  transition: (snapshot: unknown) => [snapshot, []],
  getPersistedSnapshot: (snapshot: unknown) => snapshot,
}

/** Stands for an action of the chart's own; its name, parameters and context are arguments. */
export function act(): void {}

/** Converts a chart of XState 5: names become functions, lists become one function, `params` becomes an argument. */
export function convert({ config, implementations }: Chart5, actors: readonly string[]) {
  return createMachine({
    ...stateOf(copyConfig(config)),
    ...defined({ context: config.context, output: config.output }),
    actors: Object.fromEntries(actors.map((src) => [src, inert])),
  } as never)

  function stateOf({ entry, always, on, invoke, states, exit, ...rest }: StateConfig): object {
    if (exit !== undefined) throw new Error('The converter knows no exit actions.')
    return {
      ...rest,
      ...(entry === undefined ? {} : { entry: (given: Given, enqueue: Enqueue) => perform(entry, given, enqueue) }),
      ...(always === undefined ? {} : { always: choiceOf(always) }),
      ...(on === undefined ? {} : { on: mapValues(on, choiceOf) }),
      ...(invoke === undefined ? {} : { invoke: invoke.map((invocation) => invocationOf(invocation, entry)) }),
      ...(states === undefined ? {} : { states: mapValues(states, stateOf) }),
    }
  }

  /** XState 6 computes the input before the entry, and XState 5 after it. */
  function invocationOf({ id, src, onDone, ...rest }: Invocation & { input?: unknown }, entry: readonly Named[] = []) {
    const input = (given: Given) => valueOf(rest.input, { ...given, ...perform(entry, given, undefined) })
    return { id, src, input, ...(onDone === undefined ? {} : { onDone: choiceOf(onDone) }) }
  }

  /** The first candidate whose guard holds; undefined if there is none. */
  function choiceOf(candidates: readonly Candidate[]) {
    return (given: Given, enqueue: Enqueue) => {
      const taken = candidates.find(({ guard }) => guard === undefined || holds(guard as Named, given))
      if (taken === undefined) return undefined
      const { target, actions = [] } = taken
      return { ...(target === undefined ? {} : { target }), ...perform(actions, given, enqueue) }
    }
  }

  function holds(guard: Named, given: Given): boolean {
    const [name, params] = namedOf(guard, given)
    return (implementations.guards[name] as Part<boolean>)(given, params)
  }

  /** Takes actions in their order; without `enqueue` only those that change the context. */
  function perform(actions: readonly Named[], given: Given, enqueue: Enqueue | undefined): { context?: object } {
    const { event, self } = given
    const children = { ...given.children }
    let { context } = given
    const spawn = (src: string, { id, input }: { readonly id: string; readonly input: unknown }) => {
      if (enqueue !== undefined) children[id] = enqueue.spawn(src, { id, input })
    }
    const sendTo = (to: unknown, sent: ChartEvent) => {
      const actor = typeof to === 'string' ? children[to] : to
      if (actor === undefined) throw new Error(`Unable to send event to actor '${String(to)}'.`)
      enqueue?.sendTo(actor, sent)
    }
    const stopChild = (id: string) => {
      enqueue?.stop(children[id])
      delete children[id]
    }
    for (const named of actions) {
      const args = { context, event, self, spawn, enqueue: { sendTo, stopChild, spawnChild: spawn } }
      const [name, params] = namedOf(named, args)
      const action = implementations.actions[name] as Action5
      if (action.type === 'xstate.assign') context = { ...context, ...action.assignment(args, params) }
      else if (enqueue === undefined) continue
      else if (action.type === 'xstate.sendTo')
        sendTo(valueOf(action.to, args, params), valueOf(action.event, args, params) as ChartEvent)
      else if (action.type === 'xstate.stopChild') stopChild(valueOf(action.actorRef, args, params) as string)
      else if (action.type === 'xstate.enqueueActions') action.collect(args, params)
      else enqueue(act, name, params, context)
    }
    return context === given.context ? {} : { context }
  }
}

/** Returns a name and its parameters, computed if a function makes them. */
function namedOf(named: Named, args: Args): readonly [string, unknown] {
  return typeof named === 'string' ? [named, undefined] : [named.type, valueOf(named.params, args)]
}

function valueOf(value: unknown, args: Args, params?: unknown): unknown {
  return typeof value === 'function' ? (value as Part)(args, params) : value
}

function mapValues<Value, Result>(record: { readonly [key: string]: Value }, map: (value: Value) => Result) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
