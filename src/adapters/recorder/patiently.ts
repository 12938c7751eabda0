import { SessionError } from './session-error.ts'

const retryMs = 20

/** Does again what a lock kept from being done, for at most this many milliseconds, with other work in between. */
export async function patiently<Result>(waitMs: number, work: () => Result): Promise<Result> {
  const giveUpAt = performance.now() + waitMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      const isLocked = error instanceof SessionError && error.code === 'locked'
      if (!isLocked || performance.now() >= giveUpAt) throw error
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
}
