import { GCProfiler } from 'node:v8'

/** Bytes of the heap that some work takes, together with what is collected meanwhile. */
export function allocatedBytes(work: () => void): number {
  const profiler = new GCProfiler()
  let used = process.memoryUsage().heapUsed
  profiler.start()
  work()
  const last = process.memoryUsage().heapUsed
  let bytes = 0
  for (const { beforeGC, afterGC } of profiler.stop()?.statistics ?? []) {
    bytes += beforeGC.heapStatistics.usedHeapSize - used
    used = afterGC.heapStatistics.usedHeapSize
  }
  return bytes + last - used
}
