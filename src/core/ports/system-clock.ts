import { longestTimerMs } from '../domain/timer.ts'
import type { Clock } from './clock.ts'
import type { Ids } from './ids.ts'

/** The computer's clock. Long sleeps are split, because the platform's timers have a maximum delay. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleepUntil: async (due, signal) => {
    while (!signal.aborted && Date.now() < due) await pause(Math.min(due - Date.now(), longestTimerMs), signal)
  },
}

/** Unique ids across processes: the prefix, `_` and 32 random hex digits. */
export const randomIds: Ids = {
  next: (prefix) => `${prefix}_${crypto.randomUUID().replaceAll('-', '')}`,
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish, { once: true })
  })
}
