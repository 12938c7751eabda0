import { nextLoopTurn } from '../../core/domain/text/platform.ts'

let last: Promise<unknown> = Promise.resolve()

/**
 * Does work after what came before it is done, so that of many large texts one is held at a time and timers fire between
 * them. Work that is given up does not keep the next one waiting.
 */
export async function inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const mine = whenFree(last, signal, work)
  const given = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  last = Promise.race([mine.catch(() => {}), given])
  return await mine
}

async function whenFree<T>(before: Promise<unknown>, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await before
  await nextLoopTurn()
  signal.throwIfAborted()
  return await work()
}
