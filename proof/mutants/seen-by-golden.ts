import { readChart } from '../charts/read-chart.ts'
import { writeGolden } from '../charts/write-golden.ts'
import { type Buildable, copyConfig, rebuild, type StateConfig } from './chart-config.ts'
import { charts } from './charts.ts'
import type { Mutant } from './list-mutants.ts'

/** How many mutants show in the golden graph of their chart, which has every arrow by construction. */
export function countSeenByGolden(mutants: readonly Mutant[]): number {
  const golden = new Map<string, string>(
    Object.values(charts).map((chart) => [chart.id, graphOf(chart, copyConfig(chart))]),
  )
  const machines: Readonly<Record<string, Buildable>> = charts
  return mutants.filter((mutant) => {
    const machine = machines[mutant.chart]
    return machine !== undefined && graphOf(machine, mutant.build()) !== golden.get(mutant.chart)
  }).length
}

/** A config that holds more than names cannot be written down, and shows by that. */
function graphOf(machine: Buildable, config: StateConfig): string {
  try {
    return writeGolden(readChart(machine.id, rebuild(machine, config) as never))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
