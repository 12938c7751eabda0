import type { CallRecord } from '../domain/call.ts'
import { isReceipt } from '../domain/background.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { workOf } from '../driving/late-results.ts'
import { openDriving } from '../driving/run-driving.ts'
import type { Store } from '../ports/store.ts'
import type { TakenLease } from '../runtime/held-lease.ts'
import { tellFamily } from './cancel-family.ts'

/** Drives a child that nobody waits for, as far as this process can, and has its end delivered. */
export function driveApart(member: AgentCore, runId: string, taken?: TakenLease): void {
  const driven = async () => {
    await openDriving(member, runId, { taken }).rest
    await tellFamily(member)
  }
  // Whoever cannot drive the child leaves it to others.
  member.openRuns.track(driven().catch(() => undefined))
}

/** Returns the number of calls whose work goes on in the background. */
export async function countBackground(store: Store, calls: readonly CallRecord[]): Promise<number> {
  return (await openWork(store, calls)).length
}

/** Returns the runs that work in the background for these calls and have not ended. */
export async function openWork(store: Store, calls: readonly CallRecord[]): Promise<readonly string[]> {
  const open: string[] = []
  for (const { result } of calls) {
    if (result === undefined || !isReceipt(result)) continue
    const work = await workOf(store, result)
    if (work !== undefined && work.status !== 'done') open.push(result.childRunId)
  }
  return open
}
