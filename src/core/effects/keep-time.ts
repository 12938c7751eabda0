import type { KeepTimeInput, TimeOver } from '../../../machines/run/run.types.ts'
import type { EffectHandler } from '../ports/effect-handler.ts'
import { sleepUntil } from './sleep.ts'

/**
 * The timer of a run's running time. It needs no write of its own: only time in which a process drives the run counts,
 * and whoever drives it next starts the timer anew with what is left.
 */
export const keepTime: EffectHandler<KeepTimeInput, TimeOver> = {
  kind: 'local',
  perform: async ({ forMs }, { clock, signal }) => {
    await sleepUntil(forMs === null ? null : clock.now() + forMs, clock, signal)
    return { output: { at: clock.now() } }
  },
}
