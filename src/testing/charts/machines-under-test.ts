import { modelCallMachine } from '../../../machines/model-call/model-call.machine.ts'
import { runMachine } from '../../../machines/run/run.machine.ts'
import { toolCallMachine } from '../../../machines/tool-call/tool-call.machine.ts'
import type { RunMachines } from '../../core/driving/run-charts.ts'
import { copyConfig, rebuild, type StateConfig } from './chart-config.ts'

/** The names of the charts of a run. */
export const chartNames = ['run', 'toolCall', 'modelCall'] as const

/** The name of one chart of a run. */
export type ChartName = (typeof chartNames)[number]

/** The original charts. */
export const machinesAsTheyAre: RunMachines = {
  run: runMachine,
  toolCall: toolCallMachine,
  modelCall: modelCallMachine,
}

/** Returns a copy of a chart's config, to read or to change. */
export function configOf(chart: ChartName): StateConfig {
  return copyConfig(machinesAsTheyAre[chart].config)
}

/** Rebuilds the charts from copies of their configs; `configs` replaces some of them. */
export function machinesWith(configs: { readonly [chart in ChartName]?: StateConfig }): RunMachines {
  const { run, toolCall, modelCall } = machinesAsTheyAre
  return {
    run: rebuild(run, configs.run ?? configOf('run')),
    toolCall: rebuild(toolCall, configs.toolCall ?? configOf('toolCall')),
    modelCall: rebuild(modelCall, configs.modelCall ?? configOf('modelCall')),
  }
}
