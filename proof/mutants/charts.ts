import { modelCallMachine, runMachine, toolCallMachine } from '../../machines/index.ts'
import type { RunMachines } from '../../src/agent/run-charts.ts'
import { copyConfig, rebuild } from './chart-config.ts'
import { listMutants, type Mutant } from './list-mutants.ts'

/** The charts in the order of the report. */
export const charts = { run: runMachine, toolCall: toolCallMachine, modelCall: modelCallMachine } as const

/** Every mutant of every chart. */
export const mutants: readonly Mutant[] = Object.values(charts).flatMap((chart) => listMutants(chart))

/** The charts built from copies of their configs, one of them with a mutant's change. */
export function machinesOf(mutant?: Mutant): RunMachines {
  const configOf = (chart: (typeof charts)[keyof typeof charts]) =>
    mutant?.chart === chart.id ? mutant.build() : copyConfig(chart)
  return {
    run: rebuild(charts.run, configOf(charts.run)),
    toolCall: rebuild(charts.toolCall, configOf(charts.toolCall)),
    modelCall: rebuild(charts.modelCall, configOf(charts.modelCall)),
  }
}
