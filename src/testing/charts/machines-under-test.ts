import { StateMachine } from 'xstate'
import { modelCallMachine } from '../../../machines/model-call/model-call.machine.ts'
import { runMachine } from '../../../machines/run/run.machine.ts'
import { toolCallMachine } from '../../../machines/tool-call/tool-call.machine.ts'
import type { RunMachines } from '../../agent/run-charts.ts'
import { copyConfig, type StateConfig } from './chart-edges.ts'

/** The names of the charts of a run. */
export const chartNames = ['run', 'toolCall', 'modelCall'] as const

/** The name of one chart of a run. */
export type ChartName = (typeof chartNames)[number]

/** The charts as they are. */
export const machinesAsTheyAre: RunMachines = {
  run: runMachine,
  toolCall: toolCallMachine,
  modelCall: modelCallMachine,
}

/** A copy of a chart's config, to read or to change. */
export function configOf(chart: ChartName): StateConfig {
  return copyConfig(machinesAsTheyAre[chart].config)
}

/** The charts with one config in another's place, and the same implementations; endless loops become errors. */
export function machinesWith(chart: ChartName, config: StateConfig): RunMachines {
  const options = { maxIterations: 200 }
  return { ...machinesAsTheyAre, [chart]: rebuilt(machinesAsTheyAre[chart] as never, { ...config, options }) }
}

/** A machine with another config and the same implementations. */
function rebuilt<M extends { readonly config: unknown; readonly implementations: unknown }>(
  machine: M,
  config: unknown,
): M {
  return new StateMachine(config as never, machine.implementations as never) as never
}
