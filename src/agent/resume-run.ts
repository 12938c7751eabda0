import type { ToolType } from '../domain/event.ts'
import type { AgentCore } from './agent-core.ts'
import type { LoadOptions } from './create-agent.ts'
import type { Run } from './run.ts'
import { isDrivenElsewhere } from './run-driving.ts'
import { RunHandle } from './run-handle.ts'

/** A run, and who drives it now. */
export interface ResumedRun<Tools extends ToolType = ToolType, Output = unknown> {
  readonly run: Run<Tools, Output>
  /**
   * `begun`: this process, from now on. `shared`: this process did already. `elsewhere`: another process, which takes in
   * what was stored for the run. `none`: nobody, the run is done.
   */
  readonly drive: 'begun' | 'shared' | 'elsewhere' | 'none'
}

/** Sees to it that a stored run is driven; resolves as soon as it is known by whom. */
export async function resumeRun(core: AgentCore, runId: string, { adopt = false }: LoadOptions): Promise<ResumedRun> {
  core.openRuns.refuseIfClosed()
  const { status, agent } = await core.store.record(runId)
  const run = new RunHandle(core, runId, { agent, adopts: adopt })
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
