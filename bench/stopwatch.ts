import type { Synchronous } from './bare-store.ts'

/**
 * What is counted: the processor time of this process, which does not mind what else the machine does, or the time that
 * passes, where waiting for the disk is part of it.
 */
export type TimeKind = 'processor' | 'passing'

/** Starts to count and returns how to read it, in microseconds. */
export function startWatch(kind: TimeKind): () => number {
  if (kind === 'passing') {
    const start = process.hrtime.bigint()
    return () => Number(process.hrtime.bigint() - start) / 1000
  }
  const start = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(start)
    return user + system
  }
}

/** Microseconds that something took. */
export async function timeOf(kind: TimeKind, work: () => Promise<void> | void): Promise<number> {
  const read = startWatch(kind)
  await work()
  return read()
}

/** What is counted of a store that waits for the disk in every commit, and of one that does not. */
export function timeKindOf(synchronous: Synchronous): TimeKind {
  return synchronous === 'full' ? 'passing' : 'processor'
}
