import { branchesMachine } from '../../../machines/branches/branches.machine.ts'
import { toolCallMachine } from '../../../machines/tool-call/tool-call.machine.ts'
import { branchesConfigurations } from './branches-configurations.ts'
import { copyConfig, rebuild } from './chart-config.ts'
import { exploreBranches } from './explore-branches.ts'
import { type Branch, branchesOf, probedConfig, Recorder } from './transition-coverage.ts'

/** Explores every group and returns a path for each transition of its chart, and for both answers of each guard. */
export function coverBranches(): readonly Branch[] {
  const recorder = new Recorder()
  const config = copyConfig(branchesMachine.config)
  const probed = probedConfig('branches', copyConfig(branchesMachine.config), branchesMachine as never, (branch) =>
    recorder.see(branch),
  )
  const machines = { branches: rebuild(branchesMachine, probed), toolCall: toolCallMachine }
  for (const configuration of branchesConfigurations)
    exploreBranches({
      configuration,
      machines,
      onMicrostep: (event) => recorder.seeTransitions(event),
      onStep: (path) => recorder.credit(configuration.name, path),
    })
  return branchesOf('branches', config, recorder)
}
