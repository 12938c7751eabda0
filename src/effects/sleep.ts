import type { SleepInput } from '../domain/timer.ts'
import type { EffectHandler } from '../ports/effect-handler.ts'

/** A timer: due times are data, so a restart neither loses nor restarts one. */
export const sleep: EffectHandler<SleepInput, undefined> = {
  kind: 'repeatable',
  due: ({ due }) => due,
  perform: async ({ due }, { clock, signal }) => {
    await (due === null ? never(signal) : clock.sleepUntil(due, signal))
    return { output: undefined }
  },
}

function never(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
