import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../core/ports/clock.ts'

/** The computer's clock, for the limits of commands. */
export const processClock: Clock = {
  now: () => Date.now(),
  sleepUntil: async (due, signal) => {
    const pause = Math.max(0, Math.min(due - Date.now(), 2 ** 31 - 1))
    await sleep(pause, undefined, { signal }).catch(() => {})
  },
}
