import { getAdjacencyMap } from '@xstate/graph'
import { branchesMachine } from '../../machines/branches/branches.machine.ts'
import { configurations } from '../../src/testing/charts/configurations.ts'
import type { RunMachines } from '../../src/core/driving/run-charts.ts'
import type { Interpreter } from '../../src/core/step/steps-of.ts'
import { explore } from '../../src/testing/charts/explore.ts'
import { InterpretersDiffer } from '../../src/testing/charts/interpreter-trace.ts'
import { machinesOf } from './all-mutants.ts'
import { brokenByGroup } from './broken-by-group.ts'
import type { Mutant } from './list-mutants.ts'
import { failingScenario } from './play-scenario.ts'

/** The check that noticed a mutant; a survivor was noticed by none, or only by a difference of the interpreters. */
export interface Verdict {
  readonly by: 'oracle' | 'scenario' | 'hang' | 'difference' | null
  readonly what: string
}

/** A configuration to explore, by number, and the moves after which its states are taken to have no end. */
export interface Leg {
  readonly configuration: number
  readonly limit: number
}

/** The configurations to explore: those cheaper than the scenarios, and the rest. */
export interface Relevant {
  readonly cheap: readonly Leg[]
  readonly dear: readonly Leg[]
}

/** A mutant's charts, and what takes their steps. */
interface Mutated {
  readonly machines: RunMachines
  readonly interpreter: Interpreter | 'both'
}

/**
 * Runs what must notice a mutant, the cheapest first, and stops at the first that does. Stepped by both interpreters,
 * a mutant over which they part survives, whatever else would notice it.
 */
export function judgeMutant(mutant: Mutant, relevant: Relevant, interpreter: Interpreter | 'both'): Verdict {
  try {
    if (mutant.chart !== branchesMachine.id) return judge({ machines: machinesOf(mutant), interpreter }, relevant)
    const broken = brokenByGroup(mutant)
    return { by: broken === undefined ? null : 'oracle', what: broken ?? '' }
  } catch (error) {
    if (!(error instanceof InterpretersDiffer)) throw error
    return { by: 'difference', what: error.message }
  }
}

function judge(mutated: Mutated, { cheap, dear }: Relevant): Verdict {
  const broken = firstBroken(cheap, mutated)
  if (broken !== undefined) return { by: 'oracle', what: broken }
  const failing = failingScenario(mutated.machines, mutated.interpreter)
  if (failing !== undefined) return { by: 'scenario', what: failing }
  const late = firstBroken(dear, mutated)
  return late === undefined ? { by: null, what: '' } : { by: 'oracle', what: late }
}

function firstBroken(legs: readonly Leg[], mutated: Mutated): string | undefined {
  for (const { configuration: position, limit } of legs) {
    const configuration = configurations[position]
    if (configuration === undefined) throw new Error(`There is no configuration ${position}.`)
    const broken = brokenRule(
      () => explore({ ...mutated, configuration, limit, isQuick: true }, getAdjacencyMap).findings,
    )
    if (broken !== undefined) return `${configuration.name}: ${broken}`
  }
  return undefined
}

/** A chart that throws where the charts as they are do not is noticed by that. */
function brokenRule(look: () => readonly { invariant: string; what: string }[]): string | undefined {
  try {
    const [finding] = look()
    return finding && `${finding.invariant}: ${finding.what}`
  } catch (error) {
    if (error instanceof InterpretersDiffer) throw error
    return `threw: ${error instanceof Error ? error.message : String(error)}`
  }
}
