import type { AnyStateMachine } from 'xstate'
import type { Chart } from '../../src/core/charts/chart.ts'
import { readChartWith } from '../../src/core/charts/read-chart.ts'

/** Reads a machine under this name; refuses anything in its config that is not a name. */
export function readNamedChart(name: string, machine: AnyStateMachine): Chart {
  const refuse = (_: unknown, stateId: string) => {
    throw new Error(`State "${stateId}" holds something that is not a name: move it into setup() and name it.`)
  }
  return { ...readChartWith(machine, refuse), name }
}
