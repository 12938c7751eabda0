import type { ActorLogic, AnyActorRef, Snapshot, StateValue } from 'xstate'
import { runMachine } from '../../../machines/run/run.machine.ts'
import { type ComposedLogic, composedLogic, type ComposedState, nameOfMove } from '../charts/explore.ts'
import type { Configuration, Move } from '../charts/exploration-types.ts'
import { movesOf } from '../charts/moves.ts'
import { configurationsOf, isWatched, planScript, type PlannedScript } from './agent-configurations.ts'
import { agentFrom, type AgentSource, scriptsOf, type TestedAgent } from './agent-under-test.ts'

/** One possible event, by name: `calls: send`, `1.send runTool:succeeded`, `decide 1.send resume (current)`. */
export interface ExplorableEvent {
  readonly type: string
}

/** The state of the composed system between two events. */
export type ExplorableSnapshot = Snapshot<undefined> & {
  /** State values of the run's chart and of each live call's; both empty before the first event. */
  readonly value: { readonly run: StateValue; readonly calls: { readonly [callId: string]: StateValue } }
  /** Every state entered on the way to this one, including transient states: `toolCall.running.executing`. */
  readonly entered: readonly string[]
  /** Equal for equal states. */
  readonly key: string
}

/** The arguments of a path function of `@xstate/graph`: `getShortestPaths(logic, options)`. */
export interface Explorable {
  readonly logic: ActorLogic<ExplorableSnapshot, ExplorableEvent, undefined>
  readonly options: {
    /** Returns the possible next events; returns none after `maxStates` states were visited. */
    readonly events: (snapshot: ExplorableSnapshot) => readonly ExplorableEvent[]
    readonly serializeState: (snapshot: ExplorableSnapshot) => string
    readonly serializeEvent: (event: ExplorableEvent) => string
  }
}

/** Limits of an exploration. */
export interface ExplorableOptions {
  /** The maximum number of states whose events are followed, nearest first. Default 2,000. */
  readonly maxStates?: number
}

/**
 * Returns an agent's charts as one transition logic without effects: each invoked actor is replaced by events, one for
 * each way in which it may end. The first event selects the calls of the model. Only the agent's `needs` and schemas
 * are executed.
 *
 * @example
 * const { logic, options } = await explorable({ name: 'clerk', tools: [send] })
 * for (const path of getShortestPaths(logic, options)) console.log(path.steps.map(({ event }) => event.type))
 */
export async function explorable(
  source: AgentSource,
  { maxStates = 2000 }: ExplorableOptions = {},
): Promise<Explorable> {
  const agent = agentFrom(source)
  const scripts: PlannedScript[] = []
  for (const script of scriptsOf(agent)) scripts.push(await planScript(agent, script))
  const systems = new Map(
    configurationsOf(agent, scripts).map((configuration) => {
      const system = new System(withEveryOutcome(agent, configuration))
      return [system.name, system] as const
    }),
  )
  const standings = new WeakMap<ExplorableSnapshot, { readonly system: System; readonly composed: ComposedState }>()
  const arrived = (system: System, composed: ComposedState): ExplorableSnapshot => {
    const snapshot = snapshotOf(system, composed)
    standings.set(snapshot, { system, composed })
    return snapshot
  }
  let visited = 0
  const eventsAt = (snapshot: ExplorableSnapshot): readonly ExplorableEvent[] => {
    const standing = standings.get(snapshot)
    const names = standing === undefined ? [...systems.keys()] : [...standing.system.movesAt(standing.composed).keys()]
    return names.map((type) => ({ type }))
  }
  return {
    logic: {
      getInitialSnapshot: () => initial,
      getPersistedSnapshot: (snapshot) => snapshot,
      transition: (snapshot, { type }, scope) => {
        const { system = systems.get(type), composed } = standings.get(snapshot) ?? {}
        if (system === undefined) return snapshot
        if (composed === undefined) return arrived(system, system.open(scope as never))
        const move = system.movesAt(composed).get(type)
        return move === undefined ? snapshot : arrived(system, system.step(composed, move, scope as never))
      },
    },
    options: {
      events: (snapshot) => {
        visited = snapshot === initial ? 0 : visited + 1
        return visited > maxStates ? [] : eventsAt(snapshot)
      },
      serializeState: ({ key }) => key,
      serializeEvent: ({ type }) => type,
    },
  }
}

const initial: ExplorableSnapshot = {
  status: 'active',
  output: undefined,
  error: undefined,
  value: { run: {}, calls: {} },
  entered: [],
  key: 'start',
}

type Scope = Parameters<ComposedLogic['transition']>[2]

/** The charts with one set of calls that the model may make. */
class System {
  readonly name: string
  readonly #configuration: Configuration
  readonly #logic: ComposedLogic
  #entered = new Set<string>()

  constructor(configuration: Configuration) {
    this.name = configuration.name
    this.#configuration = configuration
    this.#logic = composedLogic(
      {
        configuration,
        interpreter: 'tables',
        onMicrostep: ({ actorRef, snapshot }) => {
          const { _parent: parent, src } = actorRef as AnyActorRef
          if (!('value' in snapshot)) return
          const chart = parent === undefined ? 'run' : typeof src === 'string' ? src : 'actor'
          for (const path of pathsOf(snapshot.value as StateValue)) this.#entered.add(`${chart}.${path}`)
        },
      },
      [],
    )
  }

  /** Records the initial states by hand, because no transition enters them. */
  open(scope: Scope): ComposedState {
    this.#entered = new Set(firstOf(runMachine.config).map((path) => `run.${path}`))
    return this.#logic.getInitialSnapshot(scope, undefined)
  }

  step(from: ComposedState, move: Move, scope: Scope): ComposedState {
    this.#entered = new Set()
    return this.#logic.transition(from, move, scope)
  }

  movesAt({ standing, facts }: ComposedState): ReadonlyMap<string, Move> {
    if (standing.failure !== undefined) return new Map()
    return new Map(movesOf(standing, facts, this.#configuration).map((move) => [nameOfMove(move), move] as const))
  }

  /** Returns the states entered by the last move, and the current states. */
  enteredWith({ standing }: ComposedState): readonly string[] {
    const at = pathsOf(standing.value as StateValue).map((path) => `run.${path}`)
    const calls = Object.values(standing.calls).flatMap((value) => pathsOf(value as StateValue))
    return [...new Set([...this.#entered, ...at, ...calls.map((path) => `toolCall.${path}`)])]
  }
}

function snapshotOf(system: System, composed: ComposedState): ExplorableSnapshot {
  const { value, calls } = composed.standing
  return {
    ...initial,
    value: { run: value as StateValue, calls: calls as { readonly [callId: string]: StateValue } },
    entered: system.enteredWith(composed),
    key: `${system.name}\n${composed.key}`,
  }
}

interface Initial {
  readonly initial?: unknown
  readonly states?: { readonly [key: string]: Initial } | undefined
}

/** Returns the paths of a chart's initial states. */
function firstOf({ initial: first, states = {} }: Initial, before = ''): readonly string[] {
  if (typeof first !== 'string') return []
  return [`${before}${first}`, ...firstOf(states[first] ?? {}, `${before}${first}.`)]
}

/** Returns the paths of the states in a state value, parents first. */
function pathsOf(value: StateValue, before = ''): readonly string[] {
  if (typeof value === 'string') return [`${before}${value}`]
  return Object.entries(value).flatMap(([key, child]) => {
    const own = `${before}${key}`
    return child === undefined ? [own] : [own, ...pathsOf(child, `${own}.`)]
  })
}

/** Adds the outcomes that plugins may cause besides a refusal: supplied results, holds, and expiring requests. */
function withEveryOutcome(agent: TestedAgent, configuration: Configuration): Configuration {
  const { outcomes, interference } = configuration
  const supplied = isWatched(agent, 'gateCall') ? (['supplied', 'suppliedBadly'] as const) : []
  const { gateCall = [], gateReplay = [] } = outcomes
  return {
    ...configuration,
    outcomes: {
      ...outcomes,
      gateCall: [...gateCall, ...supplied],
      gateReplay: [...new Set([...gateReplay, ...supplied])],
    },
    interference: { ...interference, expiry: true },
  }
}
