import type { AnyStateMachine } from 'xstate'
import { branchesMachine } from '../../machines/branches/branches.machine.ts'
import { copyConfig, rebuild, type StateConfig } from '../../src/testing/charts/chart-config.ts'
import { machinesAsTheyAre } from '../../src/testing/charts/machines-under-test.ts'
import { readNamedChart } from '../charts/read-chart.ts'
import { writeGolden } from '../charts/write-golden.ts'
import type { Mutant } from './list-mutants.ts'

/** How many mutants show in the golden graph of their chart, which has every arrow by construction. */
export function countSeenByGolden(mutants: readonly Mutant[]): number {
  const machines = new Map<string, AnyStateMachine>(
    Object.entries({ ...machinesAsTheyAre, branches: branchesMachine as AnyStateMachine }),
  )
  const golden = new Map(
    [...machines].map(([chart, machine]) => [chart, graphOf(machine, copyConfig(machine.config))] as const),
  )
  return mutants.filter((mutant) => {
    const machine = machines.get(mutant.chart)
    return machine !== undefined && graphOf(machine, mutant.build()) !== golden.get(mutant.chart)
  }).length
}

/** A config that holds more than names cannot be written down, and shows by that. */
function graphOf(machine: AnyStateMachine, config: StateConfig): string {
  try {
    return writeGolden(readNamedChart(machine.id, rebuild(machine, config)))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
