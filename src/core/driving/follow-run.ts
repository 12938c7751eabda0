import type { AgentCore } from './agent-core.ts'
import { LiveReading } from './live-reading.ts'
import { hasNews, isDrivenElsewhere } from './run-driving.ts'

/** Milliseconds between two looks at a run that another process drives. */
export const lookMs = 250

/** Looks at the record for each try to drive the run oneself, which has the store check its lease. */
const looksPerTry = 4

/**
 * Drives a run by `drive`, or waits until whoever drives it has brought it to rest; where that process ends without,
 * the run is driven here. Gives what `drive` gave, undefined where it was driven elsewhere. Rejects with the signal's reason.
 * Meanwhile those who hear the run here are told of the answer that is given there.
 */
export async function followRun<Rest>(
  core: AgentCore,
  runId: string,
  drive: () => Promise<Rest>,
  signal: AbortSignal,
): Promise<Rest | undefined> {
  const { store, clock } = core
  const live = new LiveReading(core, runId)
  try {
    for (let looks = 0; ; looks++) {
      signal.throwIfAborted()
      if (looks % looksPerTry === 0) {
        try {
          return await drive()
        } catch (error) {
          if (!isDrivenElsewhere(error)) throw error
        }
      }
      if (await isResting(store, runId)) return undefined
      await live.look()
      await clock.sleepUntil(clock.now() + lookMs, signal)
    }
  } finally {
    live.end()
  }
}

/** A waiting run that was sent something goes on as soon as somebody drives it. */
export async function isResting(store: AgentCore['store'], runId: string): Promise<boolean> {
  const { status } = await store.record(runId)
  if (status !== 'waiting') return status === 'done'
  return !(await hasNews(store, runId))
}
