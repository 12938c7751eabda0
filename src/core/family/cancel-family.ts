import type { AgentCore } from '../driving/agent-core.ts'
import { openDriving } from '../driving/run-driving.ts'
import { workerOf } from '../driving/worker-of.ts'
import { deliverEnds } from './deliver-ends.ts'
import { memberNamed, rootOf } from './lineage.ts'

/** Delivers the messages of a family, and drives cancelled children to their ends. */
export function tellFamily(core: AgentCore): Promise<void> {
  const { store, clock } = core
  return deliverEnds({
    ...{ store, clock },
    cancelled: (child) => endMember(rootOf(core), child),
    handOver: async (runId) => {
      const { handOver } = await import('./begin-handover.ts')
      const next = await handOver(store, runId, (agent) => memberNamed(rootOf(core), agent))
      if (next !== undefined && !core.openRuns.closing.aborted) driveNext(next.core, next.runId)
    },
  })
}

/** Drives the run after a hand-over, as far as this process can. */
function driveNext(core: AgentCore, runId: string): void {
  const driven = async () => {
    await openDriving(core, runId).rest
    await tellFamily(core)
  }
  core.openRuns.track(driven().catch(() => undefined))
}

/** A run that another process drives, or whose agent is unknown here, is left to others. */
function endMember(root: AgentCore, runId: string): void {
  if (root.openRuns.closing.aborted) return
  const driven = async () => {
    const worker = await workerOf(root.store, runId)
    const member = worker && memberNamed(root, worker.agent)
    if (worker === undefined || member === undefined) return
    await openDriving(member, worker.id).rest
    await tellFamily(member)
  }
  root.openRuns.track(driven().catch(() => undefined))
}
