import { isReceipt } from '../domain/background.ts'
import type { CallRecord } from '../domain/call.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { workOf } from '../driving/late-results.ts'
import { openDriving } from '../driving/run-driving.ts'
import type { Store } from '../ports/store.ts'
import type { TakenLease } from '../runtime/held-lease.ts'
import { tellFamily } from './cancel-family.ts'
import { memberNamed, rootOf } from './lineage.ts'
import { handedOn } from './speaking.ts'

/** Returns the unfinished runs that work in the background for these calls. */
export async function openWork(store: Store, calls: readonly CallRecord[]): Promise<readonly string[]> {
  const open: string[] = []
  for (const { result } of calls) {
    if (result === undefined || !isReceipt(result)) continue
    const work = await workOf(store, result)
    if (work !== undefined && work.status !== 'done') open.push(work.runId)
  }
  return open
}

/** Drives the undriven runs of this list that can continue. */
export async function driveWork(core: AgentCore, children: readonly string[]): Promise<void> {
  const { store } = core
  for (const child of children) {
    const { agent, status, isDriven } = await store.record(child)
    const member = memberNamed(rootOf(core), agent)
    const canGoOn = status === 'running' || (await store.inbox(child, { isOpen: true })).length > 0
    if (member !== undefined && canGoOn && !isDriven) void driveApart(member, child)
  }
}

/**
 * Drives a child that no call waits for, and the runs to which it hands its conversation over, as far as this process
 * can. Then delivers the end.
 */
export function driveApart(member: AgentCore, runId: string, taken?: TakenLease): Promise<void> {
  const drive = async () => {
    await openDriving(member, runId, { taken }).rest
    const next = await handedOn(member, runId)
    if (next !== undefined) await driveApart(next.core, next.runId)
    await tellFamily(member)
  }
  // A process that cannot drive the child leaves it to others.
  const driven = drive().catch(() => undefined)
  member.openRuns.track(driven)
  return driven
}
