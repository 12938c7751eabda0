import type { SleepInput } from '../domain/timer.ts'
import { aborted, type Clock } from '../ports/clock.ts'
import type { EffectHandler } from '../ports/effect-handler.ts'

/** The handler of timers. Due times are data, so a restart neither loses nor restarts a timer. */
export const sleep: EffectHandler<SleepInput, undefined> = {
  kind: 'repeatable',
  due: ({ due }) => due,
  perform: async ({ due }, { clock, signal }) => {
    await sleepUntil(due, clock, signal)
    return { output: undefined }
  },
}

/** Sleeps until a time in Unix milliseconds; null sleeps until the signal is aborted. */
export async function sleepUntil(due: number | null, clock: Clock, signal: AbortSignal): Promise<void> {
  await (due === null ? aborted(signal) : clock.sleepUntil(due, signal))
}
