import { timeOf } from './stopwatch.ts'
import type { Measure, Place } from './workload.ts'

/** Opens what is asked; the function that it gives asks once and gives the answers. */
export type OpenAsking = (size: number, place: Place) => Promise<() => Promise<readonly unknown[]> | readonly unknown[]>

/** Microseconds of processor time a question, which is asked so often; throws unless it has so many answers each time. */
export function askingTime(open: OpenAsking, times: number, expected: (size: number) => number): Measure {
  return async (size, place) => {
    const ask = await open(size, place)
    const time = await timeOf('processor', async () => {
      for (let count = 0; count < times; count++) {
        const found = (await ask()).length
        if (found !== expected(size)) throw new Error(`${found} answers were given; expected ${expected(size)}.`)
      }
    })
    return time / times
  }
}

/** Keeps what was opened for a size, so that it is filled once a process. */
export function openedOnce(open: OpenAsking): OpenAsking {
  const known = new Map<number, ReturnType<OpenAsking>>()
  return (size, place) => {
    const found = known.get(size) ?? open(size, place)
    known.set(size, found)
    return found
  }
}
