import { configurations } from '../../src/testing/charts/configurations.ts'
import { explore } from '../../src/testing/charts/explore.ts'
import { machinesOf } from './all-mutants.ts'
import type { Mutant } from './list-mutants.ts'
import { failingScenario } from './play-scenario.ts'

/** Who noticed a mutant, and by what; a survivor was noticed by nobody. */
export interface Verdict {
  readonly by: 'oracle' | 'scenario' | 'hang' | null
  readonly what: string
}

/** A configuration to explore, by number, and the moves after which its states are taken to have no end. */
export interface Leg {
  readonly configuration: number
  readonly limit: number
}

/** What to explore: what is cheaper than the scenarios, and the rest. */
export interface Relevant {
  readonly cheap: readonly Leg[]
  readonly dear: readonly Leg[]
}

/** Runs what must notice a mutant, the cheapest first, and stops at the first that does. */
export function judgeMutant(mutant: Mutant, { cheap, dear }: Relevant): Verdict {
  const machines = machinesOf(mutant)
  const broken = firstBroken(cheap, machines)
  if (broken !== undefined) return { by: 'oracle', what: broken }
  const failing = failingScenario(machines)
  if (failing !== undefined) return { by: 'scenario', what: failing }
  const late = firstBroken(dear, machines)
  return late === undefined ? { by: null, what: '' } : { by: 'oracle', what: late }
}

function firstBroken(legs: readonly Leg[], machines: ReturnType<typeof machinesOf>): string | undefined {
  for (const { configuration: position, limit } of legs) {
    const configuration = configurations[position]
    if (configuration === undefined) throw new Error(`There is no configuration ${position}.`)
    const broken = brokenRule(() => explore({ configuration, machines, limit, isQuick: true }).findings)
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
    return `threw: ${error instanceof Error ? error.message : String(error)}`
  }
}
