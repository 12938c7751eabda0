import type { InspectionEvent } from 'xstate'
import { getAdjacencyMap } from '@xstate/graph'
import { branchesMachine } from '../../machines/branches/branches.machine.ts'
import { modelCallMachine } from '../../machines/model-call/model-call.machine.ts'
import { runMachine } from '../../machines/run/run.machine.ts'
import { toolCallMachine } from '../../machines/tool-call/tool-call.machine.ts'
import type { BranchesConfiguration } from '../../src/testing/charts/branches-configurations.ts'
import type { Configuration } from '../../src/testing/charts/exploration-types.ts'
import { exploreBranches } from '../../src/testing/charts/explore-branches.ts'
import { explore } from '../../src/testing/charts/explore.ts'
import { compareTurns, explanations, type Judgement } from './compare-turns.ts'
import type { Chart5 } from './convert.ts'
import { interpreter6 } from './interpreters.ts'
import { type Compared, Witness } from './witness.ts'

/** The configurations to explore. */
export interface Subject {
  readonly configurations: readonly Configuration[]
  readonly branches: readonly BranchesConfiguration[]
  /** Changes the charts that XState 6 is given; a proof plants a fault. */
  readonly given?: (chart: Chart5) => Chart5
  /** Ends at the first step that nobody explains. */
  readonly isQuick?: boolean
}

/** The result of comparing three interpreters at all steps. */
export interface Testimony {
  /** States of the composed system. */
  readonly states: number
  /** Steps of single actors that were explored, and the distinct ones among them, all of which were compared. */
  readonly steps: number
  readonly compared: number
  /** Steps that differ as explained, by explanation. */
  readonly explained: { readonly [explanation: string]: number }
  /** Steps that differ otherwise. */
  readonly unexplained: readonly string[]
}

/** Thrown to leave an exploration at the first difference. */
class FoundOne extends Error {}

/** Explores the charts, and has XState 5 and XState 6 take each step too. */
export function bearWitness({ configurations, branches, given = (chart) => chart, isQuick }: Subject): Testimony {
  const explained = new Map<string, number>(Object.keys(explanations).map((name) => [name, 0]))
  const unexplained: string[] = []
  const onTurn = (compared: Compared) => {
    const judgement = compareTurns(compared)
    if (judgement === 'same') return
    if (typeof judgement === 'string') return void explained.set(judgement, (explained.get(judgement) ?? 0) + 1)
    unexplained.push(inWords(compared, judgement))
  }
  const onStep = () => {
    if (isQuick === true && unexplained.length > 0) throw new FoundOne()
  }
  const machines = [runMachine, toolCallMachine, modelCallMachine, branchesMachine]
  const witness = new Witness(machines as never, onTurn, (chart, actors) => interpreter6(given(chart), actors))
  const onInspect = (event: InspectionEvent) => {
    try {
      witness.see(event)
    } catch (error) {
      // The exploration ignores errors that an observer of a step throws.
      unexplained.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
  }
  let states = 0
  try {
    for (const configuration of configurations)
      states += explore({ configuration, interpreter: 'tables', onInspect, onStep }, getAdjacencyMap).states
    for (const configuration of branches) states += exploreBranches({ configuration, onInspect, onStep }).states
  } catch (error) {
    if (!(error instanceof FoundOne)) throw error
  }
  return {
    states,
    steps: witness.seen,
    compared: witness.compared,
    explained: Object.fromEntries(explained),
    unexplained,
  }
}

function inWords({ chart, event }: Compared, { field, turns }: Exclude<Judgement, string>): string {
  const [ours, five, six] = turns.length === 3 ? turns : [undefined, ...turns]
  return `${chart}, ${event.type}: ${field}\n  ours ${text(ours)}\n  5    ${text(five)}\n  6    ${text(six)}`
}

function text(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 500)
}
