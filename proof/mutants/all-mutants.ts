import { branchesMachine } from '../../machines/branches/branches.machine.ts'
import type { RunMachines } from '../../src/core/driving/run-charts.ts'
import { chartNames, machinesAsTheyAre, machinesWith } from '../../src/testing/charts/machines-under-test.ts'
import { listMutants, type Mutant } from './list-mutants.ts'

/** Every mutant of every chart, in the order of the report. */
export const mutants: readonly Mutant[] = [
  ...chartNames.flatMap((chart) => listMutants(machinesAsTheyAre[chart])),
  ...listMutants(branchesMachine),
]

/** The charts built from copies of their configs, one of them with a mutant's change. */
export function machinesOf(mutant?: Mutant): RunMachines {
  return machinesWith(mutant === undefined ? {} : { [mutant.chart]: mutant.build() })
}
