import type { AnyStateMachine, InspectionEvent } from 'xstate'
import type { RunMachines } from '../../core/driving/run-charts.ts'
import { eventName, type StateConfig } from './chart-config.ts'
import { type ChartEdge, edgeId, edgesOf, guardName } from './chart-edges.ts'
import type { Configuration, Move } from './exploration-types.ts'
import type { WalkGraph } from './load-graph.ts'
import { explore, type ExploreOptions, movesOn, type Trail } from './explore.ts'
import { type ChartName, chartNames, configOf, machinesAsTheyAre, machinesWith } from './machines-under-test.ts'

/** A transition, or the refusal of its guard, with the shortest path that takes it. */
export interface Branch {
  readonly chart: string
  /** `run running.turn.checkingLimits always 2`, with ` refused` if the guard refuses. */
  readonly name: string
  /** `running.turn.checkingLimits, always [reachesLimit(stop)] → resumeGate`. */
  readonly words: string
  readonly path?: { readonly configuration: string; readonly moves: readonly Move[] }
}

/** Explores every configuration and returns a path for each transition and for both answers of each guard. */
export function coverTransitions(
  configurations: readonly Configuration[],
  walkGraph: WalkGraph,
  bounds: Pick<ExploreOptions, 'limit' | 'isPartial' | 'interpreter'> = {},
): readonly Branch[] {
  const coverage = new TransitionCoverage()
  for (const configuration of configurations) explore({ ...bounds, ...coverage.watching(configuration) }, walkGraph)
  return coverage.branches()
}

/** Records the transitions and guard answers of explorations, so that one exploration has several purposes. */
export class TransitionCoverage {
  readonly #recorder = new Recorder()
  readonly #machines = probedMachines((branch) => this.#recorder.see(branch))

  /** Returns the options of a recorded exploration. */
  watching(configuration: Configuration) {
    return {
      configuration,
      machines: this.#machines,
      onMicrostep: (event) => this.#recorder.seeTransitions(event),
      onStep: (_, __, { path }) => this.#recorder.credit(configuration.name, path),
    } satisfies ExploreOptions
  }

  /** Returns every transition and guard answer of the charts, each with its shortest path. */
  branches(): readonly Branch[] {
    return chartNames.flatMap((chart) => branchesOf(chart, configOf(chart), this.#recorder))
  }
}

/** Returns every transition and guard answer of one chart, each with its shortest path. */
export function branchesOf(chart: string, config: StateConfig, recorder: Recorder): readonly Branch[] {
  return edgesOf(chart, config).flatMap((edge) => {
    const names = edge.config.guard === undefined ? [edgeId(edge)] : [edgeId(edge), `${edgeId(edge)} refused`]
    return names.map((name): Branch => {
      const path = recorder.paths.get(name)
      return { chart, name, words: wordsOf(edge), ...(path === undefined ? {} : { path }) }
    })
  })
}

/** Returns a transition in words. */
export function wordsOf({ from, event, config }: ChartEdge): string {
  const guard = guardName(config)
  const condition = guard === '' ? '' : ` [${guard}]`
  return `${from || '(root)'}, ${eventName(event)}${condition}${config.target === undefined ? '' : ` → ${config.target}`}`
}

/** Records the shortest path of each branch. */
export class Recorder {
  readonly paths = new Map<string, { readonly configuration: string; readonly moves: readonly Move[] }>()
  readonly #fresh = new Set<string>()

  see(branch: string): void {
    this.#fresh.add(branch)
  }

  /** Records the transitions of a microstep. */
  seeTransitions(event: Extract<InspectionEvent, { type: '@xstate.microstep' }>): void {
    for (const edge of takenIn(event)) this.see(edge)
  }

  credit(configuration: string, trail: Trail | undefined): void {
    const moves = movesOn(trail)
    for (const branch of this.#fresh) {
      const known = this.paths.get(branch)
      if (known === undefined || known.moves.length > moves.length) this.paths.set(branch, { configuration, moves })
    }
    this.#fresh.clear()
  }
}

/** Returns the ids of the transitions that a microstep takes. */
export function takenIn(event: Extract<InspectionEvent, { type: '@xstate.microstep' }>): readonly string[] {
  return event._transitions.flatMap((transition) => {
    const { source, eventType } = transition
    const list = eventType === '' ? (source.always ?? []) : (source.transitions.get(eventType) ?? [])
    const index = list.indexOf(transition)
    const edge = { chart: source.machine.id, from: source.path.join('.'), event: eventType, index }
    return index < 0 ? [] : [edgeId(edge)]
  })
}

/** Returns the charts with guards that report every refusal. */
function probedMachines(see: (branch: string) => void): RunMachines {
  const probed = (chart: ChartName) => probedConfig(chart, configOf(chart), machinesAsTheyAre[chart] as never, see)
  return machinesWith({ run: probed('run'), toolCall: probed('toolCall'), modelCall: probed('modelCall') })
}

/** Makes the guards of a copied config report every refusal. */
export function probedConfig(
  chart: string,
  config: StateConfig,
  machine: AnyStateMachine,
  see: (branch: string) => void,
): StateConfig {
  for (const edge of edgesOf(chart, config)) probeGuard(edge, machine, see)
  return config
}

type Guard = (observed: { readonly context: unknown; readonly event: unknown }, params: unknown) => boolean

function probeGuard(edge: ChartEdge, machine: AnyStateMachine, see: (branch: string) => void): void {
  const { guard } = edge.config
  if (guard === undefined || typeof guard === 'function') return
  const { type, params } =
    typeof guard === 'string' ? { type: guard, params: undefined } : { params: undefined, ...guard }
  const decide = machine.implementations.guards[type] as Guard | undefined
  if (decide === undefined) throw new Error(`Guard "${type}" is not implemented.`)
  const probe = (observed: Parameters<Guard>[0]) => {
    const verdict = decide(
      observed,
      typeof params === 'function' ? (params as (s: unknown) => unknown)(observed) : params,
    )
    if (!verdict) see(`${edgeId(edge)} refused`)
    return verdict
  }
  edge.config.guard = probe
}
