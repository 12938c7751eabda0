import { getAdjacencyMap } from '@xstate/graph'
import type { AnyStateMachine } from 'xstate'
import type { Configuration } from '../../src/testing/charts/exploration-types.ts'
import { explore } from '../../src/testing/charts/explore.ts'
import type { MicrostepWatcher } from '../../src/testing/charts/live-chart.ts'
import { machinesOf } from './all-mutants.ts'
import type { Place } from './list-mutants.ts'

/** The reach of one configuration on unchanged charts. */
export interface Reach {
  /** Position in the list of configurations. */
  readonly configuration: number
  readonly states: readonly string[]
  readonly transitions: readonly string[]
  /** The cost of the exploration. */
  readonly moves: number
  /** Rules broken; none, where copied charts behave as the charts do. */
  readonly findings: readonly string[]
}

/** The name a state goes by in a reach. */
export function stateKey(chart: string, state: string): string {
  return `${chart} ${state}`
}

/** The name a transition goes by in a reach: its state, its event, and its number among the candidates. */
export function transitionKey(chart: string, { state, event = '', index = 0 }: Place): string {
  return `${stateKey(chart, state)} ${event} ${index}`
}

type StateNode = AnyStateMachine['root']

/** Explores a configuration on copied, unchanged charts and notes where it comes; the exploration compares the interpreters. */
export function recordReach(configuration: Configuration, position: number): Reach {
  const states = new Set<string>()
  const transitions = new Set<string>()
  const { findings, moves } = explore(
    {
      configuration,
      machines: machinesOf(),
      interpreter: 'tables',
      onMicrostep: reachWatcher(states, transitions),
    },
    getAdjacencyMap,
  )
  return {
    configuration: position,
    states: [...states],
    transitions: [...transitions],
    moves,
    findings: findings.map(({ invariant, what, path }) => `${invariant}: ${what} (${path.join(', ')})`),
  }
}

/** Notes every state entered and every transition taken. */
function reachWatcher(states: Set<string>, transitions: Set<string>): MicrostepWatcher {
  return ({ _transitions, snapshot }) => {
    for (const transition of _transitions) {
      const { source, eventType } = transition
      const list = eventType === '' ? (source.always ?? []) : (source.transitions.get(eventType) ?? [])
      const place = { state: source.path.join('.'), event: eventType, index: list.indexOf(transition as never) }
      transitions.add(transitionKey(source.machine.id, place))
      states.add(stateKey(source.machine.id, place.state))
    }
    const { _nodes: nodes = [] } = snapshot as { _nodes?: readonly StateNode[] }
    for (const node of nodes) states.add(stateKey(node.machine.id, node.path.join('.')))
  }
}
