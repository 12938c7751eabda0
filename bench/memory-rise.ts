/** How far the resident memory of this process rises during some work, in MB; at least 1, so that a ratio can be taken. */
export function residentRiseDuring(work: () => Promise<void>): Promise<number> {
  return riseOf(process.memoryUsage.rss, work)
}

/** The same of what is on its heap, or held by it: nothing of what the system has not taken back yet. */
export function heapRiseDuring(work: () => Promise<void>): Promise<number> {
  return riseOf(() => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }, work)
}

async function riseOf(bytes: () => number, work: () => Promise<void>): Promise<number> {
  const before = bytes()
  let most = before
  const timer = setInterval(() => (most = Math.max(most, bytes())), 5)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return Math.max(1, (Math.max(most, bytes()) - before) / 1_000_000)
}
