import type { ActorLogic, EventObject, Snapshot } from 'xstate'
import type { AdjacencyMap } from '@xstate/graph'
import type { WalkGraph } from './load-graph.ts'
import type { Configuration, Move, Standing } from './exploration-types.ts'
import { defined } from '../../core/domain/text/json.ts'
import type { Facts } from './facts.ts'
import type { Breach } from './invariant.ts'
import { judge } from './invariants.ts'
import { movesOf } from './moves.ts'
import { suspendedTimes } from './suspended-times.ts'
import { ChartHarness, type ChartHarnessOptions } from './chart-harness.ts'
import type { Step } from './live-chart.ts'

/** A state of the composed system: the machine as JSON, the facts about its past, and the moves that led to it. */
export type ComposedState = Snapshot<undefined> & {
  readonly key: string
  readonly standing: Standing
  readonly facts: Facts
  readonly path: Trail | undefined
}

/** The moves from the start to a state, newest first. */
export interface Trail {
  readonly move: Move
  readonly before: Trail | undefined
}

/** A broken rule with the moves that led to it. */
export interface Finding extends Breach {
  readonly configuration: string
  readonly path: readonly string[]
}

/** The subject, bounds and observers of an exploration. */
export interface ExploreOptions extends Omit<ChartHarnessOptions, 'options'> {
  readonly configuration: Configuration
  /** The number of moves after which the exploration stops with an error. Default 40,000. */
  readonly limit?: number
  /** Stops at the first broken rule. */
  readonly isQuick?: boolean
  /** Ends the exploration at the limit instead of throwing. */
  readonly isPartial?: boolean
  /** Called for every broken rule when it is found. */
  readonly onFinding?: (finding: Finding) => void
  /** Called for every move. */
  readonly onStep?: (from: ComposedState | undefined, step: Step, to: ComposedState) => void
}

/** The result of an exploration; two `states` differ if their machine or their facts differ. */
export interface Exploration {
  readonly configuration: Configuration
  readonly states: number
  readonly moves: number
  readonly findings: readonly Finding[]
  readonly adjacency: AdjacencyMap<ComposedState, Move>
}

/** Thrown to leave a quick exploration at its first finding. */
class FoundOne extends Error {}

/** Visits every state that a configuration can reach with `@xstate/graph`, and checks every move against the oracle. */
export function explore(options: ExploreOptions, walkGraph: WalkGraph): Exploration {
  const { configuration, limit = 40_000 } = options
  const findings: Finding[] = []
  const logic = composedLogic(options, findings)
  let adjacency: AdjacencyMap<ComposedState, Move> = {}
  try {
    adjacency = walkGraph(logic, {
      events: ({ standing, facts }) => [...movesOf(standing, facts, configuration)],
      serializeState: ({ key }) => key,
      serializeEvent: nameOfMove,
      stopWhen: ({ standing }) => standing.failure !== undefined,
      limit,
    })
  } catch (error) {
    const isCut = options.isPartial === true && error instanceof Error && error.message === 'Traversal limit exceeded'
    if (!isCut && !(error instanceof FoundOne)) throw error
  }
  const composedStates = Object.values(adjacency)
  const moves = composedStates.reduce((sum, { transitions }) => sum + Object.keys(transitions).length, 0)
  return { configuration, states: composedStates.length, moves, findings, adjacency }
}

/** The composed system as a logic whose events are moves. */
export type ComposedLogic = ActorLogic<ComposedState, Move & EventObject, undefined>

/** Returns the run, its calls and its effects as one logic whose events are moves. */
export function composedLogic(options: ExploreOptions, findings: Finding[]): ComposedLogic {
  const { configuration, machines, interpreter, onMicrostep, onInspect, onStep, isQuick } = options
  const harness = new ChartHarness({
    options: configuration.options,
    ...defined({ machines, interpreter, onMicrostep, onInspect }),
  })
  const arrive = (from: ComposedState | undefined, move: Move | undefined, step: Step): ComposedState => {
    const known = from === undefined ? {} : { before: from.standing, facts: from.facts }
    const { facts, breaches } = judge({ configuration, ...known, ...(move === undefined ? {} : { move }), step })
    const path = move === undefined ? undefined : { move, before: from?.path }
    const composed = composedOf(step.standing, facts, path)
    onStep?.(from, step, composed)
    for (const breach of breaches) {
      const finding = { ...breach, configuration: configuration.name, path: movesOn(path).map(nameOfMove) }
      findings.push(finding)
      options.onFinding?.(finding)
    }
    if (breaches.length > 0 && isQuick === true) throw new FoundOne()
    return composed
  }
  // States with equal machines and different facts share each step, which is computed once.
  const known = new Map<string, Step>()
  return {
    getInitialSnapshot: () => arrive(undefined, undefined, harness.open()),
    transition: (from, move) => {
      const suspended = Object.entries(from.facts.calls).map(([id, { suspensions }]) => [id, suspensions])
      const key = `${JSON.stringify([move, suspended])}${from.standing.text}`
      const observed = { configuration, suspensions: suspendedTimes(from.facts), at: 1 }
      const step = known.get(key) ?? harness.step(from.standing, move, observed)
      known.set(key, step)
      return arrive(from, move, step)
    },
    getPersistedSnapshot: (composed) => composed,
  }
}

function composedOf(standing: Standing, facts: Facts, path: Trail | undefined): ComposedState {
  const key = `${standing.text.replaceAll(/"key":"k\d+"/g, '""')}${JSON.stringify(facts)}`
  return { status: 'active', output: undefined, error: undefined, key, standing, facts, path }
}

/** Returns the moves of a trail, oldest first. */
export function movesOn(trail: Trail | undefined): readonly Move[] {
  const moves: Move[] = []
  for (let at = trail; at !== undefined; at = at.before) moves.unshift(at.move)
  return moves
}

/** Returns a move in a few words: `1.a runTool:succeeded`. */
export function nameOfMove(move: Move): string {
  switch (move.type) {
    case 'complete':
      return `${move.owner} ${move.src}:${move.outcome}`
    case 'decide':
      return `decide ${move.callId} ${move.action} (${move.answers})`
    case 'cancelCall':
      return `cancelCall ${move.callId}`
    case 'say':
      return `say ${move.kind} ${move.count}`
    case 'cancelRun':
    case 'fail':
    case 'wake':
      return move.type
  }
}
