import { branchesMachine } from '../../machines/branches/branches.machine.ts'
import { toolCallMachine } from '../../machines/tool-call/tool-call.machine.ts'
import { branchesConfigurations } from '../../src/testing/charts/branches-configurations.ts'
import { rebuild } from '../../src/testing/charts/chart-config.ts'
import { exploreBranches } from '../../src/testing/charts/explore-branches.ts'
import { InterpretersDiffer } from '../../src/testing/charts/interpreter-trace.ts'
import type { Mutant } from './list-mutants.ts'

/** Explores every group with a mutant of its chart, and returns the first broken rule; undefined if none broke. */
export function brokenByGroup(mutant: Mutant): string | undefined {
  const machines = { branches: rebuild(branchesMachine, mutant.build()), toolCall: toolCallMachine }
  for (const configuration of branchesConfigurations) {
    try {
      const [finding] = exploreBranches({ configuration, machines, isQuick: true }).findings
      if (finding !== undefined) return `${finding.invariant}: ${finding.what}`
    } catch (error) {
      if (error instanceof InterpretersDiffer) throw error
      return `threw: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  return undefined
}
