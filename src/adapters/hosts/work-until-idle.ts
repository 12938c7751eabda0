import type { Clock } from '../../core/ports/clock.ts'
import { createWorker } from '../../core/workers/worker.ts'
import type { Agent } from '../../index.ts'

/** An engine ends a call after 15 minutes: no run is claimed after the first time, no effect runs after both. */
const claimMs = 600_000
const drainMs = 240_000

/** The milliseconds after which work that this process cannot drive is checked again. */
export const retryMs = 60_000

/** Drives the work in the agent's store. Returns true if a run was driven to a rest. */
export async function workUntilIdle(agent: Agent, clock: Clock): Promise<boolean> {
  const worker = createWorker({ agents: [agent] })
  const idle = Promise.withResolvers<void>()
  const over = new AbortController()
  let isProgress = false
  worker.on(({ type }) => {
    if (type === 'released') isProgress = true
    if (type === 'idle') idle.resolve()
  })
  await Promise.race([idle.promise, clock.sleepUntil(clock.now() + claimMs, over.signal)])
  over.abort()
  await worker.drain({ drainMs })
  return isProgress
}
