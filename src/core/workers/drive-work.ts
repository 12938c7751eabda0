import { RunHandle } from '../agent/run-handle.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { SnapshotError } from '../domain/snapshot-error.ts'
import { StoreError } from '../domain/store-error.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import type { RunStatus } from '../domain/outcome.ts'
import { onAbort } from '../ports/clock.ts'
import type { Lease, StoredRun } from '../ports/stored-run.ts'
import type { Store } from '../ports/store.ts'
import type { Postponement } from '../ports/work.ts'
import type { Moment } from '../runtime/held-lease.ts'

/** A run whose lease this process holds. */
export interface HeldRun {
  readonly lease: Lease
  /** A moment before the lease was taken. */
  readonly since: Moment
  readonly run: StoredRun
}

/** The result of driving a run. */
export type DriveEnd =
  | { readonly kind: 'released'; readonly status: RunStatus }
  /** This process cannot drive the run; another may. */
  | { readonly kind: 'left'; readonly problem: string }
  /** `isLost`: another process drives the run, or the run is deleted, so the run itself has not failed. */
  | { readonly kind: 'failed'; readonly problem: string; readonly isLost: boolean }

interface EndOfWork {
  /** Fires when no new effect may be launched. */
  readonly noMore: AbortSignal
  /** Fires when running effects must stop. */
  readonly stopping: AbortSignal
}

/** Drives a run to its rest or to the end of work, and releases its lease unless the run has failed. */
export async function driveWork(core: AgentCore, held: HeldRun, { noMore, stopping }: EndOfWork): Promise<DriveEnd> {
  const { lease, run } = held
  try {
    const missing = await missingTool(core, run)
    if (missing !== undefined) {
      await core.store.release(lease)
      return { kind: 'left', problem: `It has a call of the tool "${missing}", which the agent lacks here.` }
    }
    const handle = new RunHandle(core, lease.runId, {
      stored: Promise.resolve({ ...held, isLent: true }),
      agent: core.name,
    })
    const driving = await handle.begin({ isWatched: false })
    const on = (signal: AbortSignal, act: () => Promise<void>) =>
      onAbort(signal, () => void act().catch(() => undefined))
    const forget = [on(noMore, () => driving.drain()), on(stopping, () => driving.detach())]
    const rest = await driving.rest.finally(() => forget.forEach((one) => one()))
    await core.store.release(lease)
    return { kind: 'released', status: rest?.status ?? 'running' }
  } catch (error) {
    if (error instanceof SnapshotError) {
      await core.store.release(lease).catch(() => undefined)
      return { kind: 'left', problem: error.message }
    }
    return { kind: 'failed', problem: thrownText(error), isLost: error instanceof StoreError && losses.has(error.code) }
  }
}

/** Releases the lease of a failed run that is not the cause of the failure; otherwise the lease expires. */
export async function giveBack({ store }: AgentCore, lease: Lease): Promise<void> {
  await store.release(lease).catch(() => undefined)
}

/** Postpones a failed run and releases its lease; a lease that was released already is claimed first. */
export async function postponeRun(
  { newOwner, leaseMs }: AgentCore,
  store: Store,
  { lease, postponement }: { readonly lease: Lease; readonly postponement: Postponement },
): Promise<void> {
  try {
    await store.release(lease, postponement)
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'fence_conflict') throw error
    const claimed = await store.claim(lease.runId, newOwner(), leaseMs)
    if (claimed.lease !== undefined) await store.release(claimed.lease, postponement)
  }
}

const losses: ReadonlySet<string> = new Set(['fence_conflict', 'run_is_driven', 'run_unknown'])

/** Returns the tool of an open call that the agent lacks. Throws if a toolset fails, because it may have the tool. */
async function missingTool({ parts: { tools } }: AgentCore, { calls }: StoredRun): Promise<string | undefined> {
  const names = new Set(calls.flatMap(({ record }) => (record.isHold === true ? [] : record.toolName)))
  for (const name of names) {
    if ((await tools.find(name)) !== undefined) continue
    if (tools.failure !== undefined) throw tools.failure
    return name
  }
  return undefined
}
