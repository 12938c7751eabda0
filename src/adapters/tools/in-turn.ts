import { nextLoopTurn } from '../../core/domain/text/platform.ts'

let last: Promise<unknown> = Promise.resolve()

/** Works after the work before it, so that only one large text is held at a time. Aborted work delays nothing. */
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
