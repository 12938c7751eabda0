import type { KeepTimeInput, TimeOver } from '../../../machines/run/run.types.ts'
import type { EffectHandler } from '../ports/effect-handler.ts'
import { sleepUntil } from './sleep.ts'

/**
 * The timer of a run's running time. It needs no write: only driven time counts, and the next driver restarts the timer
 * with the remaining time.
 */
export const keepTime: EffectHandler<KeepTimeInput, TimeOver> = {
  kind: 'local',
  perform: async ({ forMs }, { clock, signal }) => {
    await sleepUntil(forMs === null ? null : clock.now() + forMs, clock, signal)
    return { output: { at: clock.now() } }
  },
}
