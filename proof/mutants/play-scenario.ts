import type { RunMachines } from '../../src/core/driving/run-charts.ts'
import type { Interpreter } from '../../src/core/step/steps-of.ts'
import { InterpretersDiffer } from '../../src/testing/charts/interpreter-trace.ts'
import { readTable, type Scenario } from './scenario.ts'
import { ScenarioPlayer } from './scenario-player.ts'
import { scenarios } from './scenarios.ts'

/** Plays a scenario; says where what is seen is not what the table says, or undefined where it holds. */
export function playScenario(
  scenario: Scenario,
  machines: RunMachines,
  interpreter: Interpreter | 'both' = 'both',
): string | undefined {
  const player = new ScenarioPlayer(scenario, machines, interpreter)
  for (const { move, expected } of readTable(scenario.table)) {
    const seen = made(player, move)
    if (seen !== expected) return `${scenario.name}: after "${move}" expected "${expected}", seen "${seen}"`
  }
  return undefined
}

function made(player: ScenarioPlayer, move: string): string {
  try {
    return player.make(move)
  } catch (error) {
    if (error instanceof InterpretersDiffer) throw error
    return `threw: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The first scenario that does not come out as its table says. */
export function failingScenario(machines: RunMachines, interpreter: Interpreter | 'both'): string | undefined {
  for (const scenario of scenarios) {
    const wrong = playScenario(scenario, machines, interpreter)
    if (wrong !== undefined) return wrong
  }
  return undefined
}
