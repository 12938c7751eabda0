import type { AgentCore } from './agent-core.ts'
import type { OpenDriving } from './open-runs.ts'
import { isDrivenElsewhere } from './is-resting.ts'

/** The driver of one run for its holder. */
export interface RunHolder {
  begin(options: { readonly isWatched: boolean }): Promise<OpenDriving>
}

/** Sees to it that a stored run is driven; resolves as soon as it is known by whom. */
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
