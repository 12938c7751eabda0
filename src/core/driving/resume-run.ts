import type { AgentCore } from './agent-core.ts'
import type { OpenDriving } from './open-runs.ts'
import { isDrivenElsewhere } from './is-resting.ts'

/** The driver of one run for its holder. */
export interface RunHolder {
  begin(options: { readonly isWatched: boolean }): Promise<OpenDriving>
}

/** Ensures that a stored run is driven. Resolves as soon as its driver is known. */
export async function resumeRun<Holder extends RunHolder>(
  core: AgentCore,
  runId: string,
  holderOf: (agent: string) => Holder,
): Promise<{ readonly run: Holder; readonly drive: 'begun' | 'shared' | 'elsewhere' | 'none' }> {
  core.openRuns.refuseIfClosed()
  const { status, agent } = await core.store.record(runId)
  const run = holderOf(agent)
  if (status === 'done') return { run, drive: 'none' }
  const isShared = core.openRuns.get(runId) !== undefined
  try {
    const driving = await run.begin({ isWatched: true })
    await driving.isBegun
  } catch (error) {
    if (!isDrivenElsewhere(error)) throw error
    return { run, drive: 'elsewhere' }
  }
  return { run, drive: isShared ? 'shared' : 'begun' }
}
