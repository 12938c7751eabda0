import type { Phase, PhaseVerdict, RunPhaseInput } from '../../machines/run/run.types.ts'
import type { StateChange } from '../domain/call.ts'
import type { Write } from '../domain/log.ts'
import type { Hand } from '../ports/hand.ts'
import type { LoopPhaseContext, Plugin } from '../ports/plugin.ts'
import { phaseContext, pluginError } from './ask-plugins.ts'
import type { AgentParts } from './parts.ts'

type LoopPhase = Exclude<Phase, 'beforeToolExecute' | 'afterToolExecute'>

/** Runs one phase of the loop: every plugin in order. */
export function runPhase({ plugins }: AgentParts): Hand<RunPhaseInput, PhaseVerdict> {
  return {
    kind: 'local',
    perform: async ({ phase, turn }, context) => {
      const changes: StateChange[] = []
      const writes: Write[] = []
      let terminate: PhaseVerdict['terminate']
      const loopContext: LoopPhaseContext = {
        ...phaseContext(turn, changes, context),
        append: (message) => void writes.push({ kind: 'append', message }),
        terminate: (code) => {
          terminate ??= code === undefined ? {} : { code }
        },
      }
      for (const plugin of plugins) await listen(plugin, phase as LoopPhase, loopContext)
      if (changes.length > 0) writes.push({ kind: 'state', changes })
      const at = context.clock.now()
      return { output: terminate === undefined ? { at } : { terminate, at }, writes }
    },
  }
}

async function listen(plugin: Plugin, phase: LoopPhase, context: LoopPhaseContext): Promise<void> {
  try {
    await plugin[phase]?.(context)
  } catch (cause) {
    throw pluginError(plugin, phase, cause)
  }
}
