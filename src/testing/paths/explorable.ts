import type { ActorLogic, AnyActorRef, Snapshot, StateValue } from 'xstate'
import { runMachine } from '../../../machines/run/run.machine.ts'
import { type ComposedLogic, composedLogic, type ComposedState, nameOfMove } from '../charts/explore.ts'
import type { Configuration, Move } from '../charts/exploration-types.ts'
import { movesOf } from '../charts/moves.ts'
import { configurationsOf, isWatched, planScript, type PlannedScript } from './agent-configurations.ts'
import { agentFrom, type AgentSource, scriptsOf, type TestedAgent } from './agent-under-test.ts'

/** One thing that may happen, by name: `calls: send`, `1.send runTool:succeeded`, `decide 1.send resume (current)`. */
export interface ExplorableEvent {
  readonly type: string
}

/** How the composed system stands between two events. */
export type ExplorableSnapshot = Snapshot<undefined> & {
  /** State values of the run's chart and of each live call's; both empty before the first event. */
  readonly value: { readonly run: StateValue; readonly calls: { readonly [callId: string]: StateValue } }
  /** Every state the charts were in on the way here, those they only passed included: `toolCall.running.executing`. */
  readonly entered: readonly string[]
  /** Equal for equal states. */
  readonly key: string
}

/** What a path function of `@xstate/graph` is given: `getShortestPaths(logic, options)`. */
export interface Explorable {
  readonly logic: ActorLogic<ExplorableSnapshot, ExplorableEvent, undefined>
  readonly options: {
    /** What may happen next; nothing once as many states were visited as are to be. */
    readonly events: (snapshot: ExplorableSnapshot) => readonly ExplorableEvent[]
    readonly serializeState: (snapshot: ExplorableSnapshot) => string
    readonly serializeEvent: (event: ExplorableEvent) => string
  }
}

/** How far a system may be explored. */
export interface ExplorableOptions {
  /** States whose events are followed in one exploration, nearest first. Default 2,000. */
  readonly maxStates?: number
}

/**
 * An agent's charts as one transition logic without effects: what is invoked has become events, one for each way it may
 * end. The first event says what the model will call. Nothing of the agent's is executed but `needs` and schemas.
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

/** The charts with one set of calls the model may make. */
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

  /** No step leads into the states a chart starts in. */
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

  /** The states of the last move, and those it ended in. */
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

/** The paths of the states a chart starts in. */
function firstOf({ initial: first, states = {} }: Initial, before = ''): readonly string[] {
  if (typeof first !== 'string') return []
  return [`${before}${first}`, ...firstOf(states[first] ?? {}, `${before}${first}.`)]
}

/** A state value as the paths of its states, parents first. */
function pathsOf(value: StateValue, before = ''): readonly string[] {
  if (typeof value === 'string') return [`${before}${value}`]
  return Object.entries(value).flatMap(([key, child]) => {
    const own = `${before}${key}`
    return child === undefined ? [own] : [own, ...pathsOf(child, `${own}.`)]
  })
}

/** What plugins may do beside refusing: supply a result, or hold the run at its start; and requests may expire. */
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
