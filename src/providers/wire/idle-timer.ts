/** Counts silence while it runs: started before a wait, touched by each byte, paused after. */
export interface IdleTimer {
  /** Runs for `ms` milliseconds; `Infinity` never fires. */
  start(ms: number): void
  /** Begins the count anew, where it runs. */
  touch(): void
  pause(): void
}

/** A timer that calls `onIdle` once nothing has touched it for the milliseconds it was started with. */
export function idleTimer(onIdle: () => void): IdleTimer {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: number | undefined
  const arm = (ms: number) => {
    clearTimeout(timer)
    timer = ms <= longestTimeout ? setTimeout(onIdle, ms) : undefined
  }
  return {
    start(ms) {
      running = ms
      arm(ms)
    },
    touch() {
      if (running !== undefined) arm(running)
    },
    pause() {
      running = undefined
      clearTimeout(timer)
    },
  }
}

/** The milliseconds `setTimeout` can count; it fires at once for more. */
export const longestTimeout = 2 ** 31 - 1
