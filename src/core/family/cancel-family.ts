import type { AgentCore } from '../driving/agent-core.ts'
import { openDriving } from '../driving/run-driving.ts'
import { childOf } from './deliver-ends.ts'
import { isParent, memberNamed } from './lineage.ts'

/** Cancels a run of a family and has it driven to its end. */
export async function cancelMember(core: AgentCore, runId: string): Promise<void> {
  await core.store.post(runId, { kind: 'cancel' }, core.clock.now())
  await cancelChildren(core, runId)
  if (core.openRuns.closing.aborted) return
  // A run that another process drives, or that has ended, needs nobody here.
  core.openRuns.track(openDriving(core, runId).rest.catch(() => undefined))
}

/** Cancels the children that the suspended calls of a run wait for, at every level below. */
export async function cancelChildren(core: AgentCore, runId: string, callId?: string): Promise<void> {
  if (!isParent(core)) return
  const calls = (await core.store.calls(runId, [])).map(({ record }) => record)
  for (const call of calls) {
    const child = callId === undefined || call.callId === callId ? childOf(call) : undefined
    if (child === undefined) continue
    const { agent } = await core.store.record(child)
    await cancelMember(memberNamed(core, agent) ?? core, child)
  }
}
