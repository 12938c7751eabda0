import { RunHandle } from '../agent/run-handle.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { SnapshotError } from '../domain/snapshot-error.ts'
import { StoreError } from '../domain/store-error.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import type { RunStatus } from '../domain/outcome.ts'
import type { Lease, StoredRun } from '../ports/stored-run.ts'
import type { Store } from '../ports/store.ts'
import type { Postponement } from '../ports/work.ts'
import type { Moment } from '../runtime/held-lease.ts'

/** A run whose lease this process holds. */
export interface HeldRun {
  readonly lease: Lease
  /** A moment at which the lease had not been taken yet. */
  readonly since: Moment
  readonly run: StoredRun
}

/** How driving a run came out. */
export type DriveEnd =
  | { readonly kind: 'released'; readonly status: RunStatus }
  /** This process cannot drive it; another may. */
  | { readonly kind: 'left'; readonly problem: string }
  /** `isLost`: the run is another's by now, or gone: it is not the run that has failed. */
  | { readonly kind: 'failed'; readonly problem: string; readonly isLost: boolean }

/** What ends the work of a worker. */
export interface EndOfWork {
  /** Nothing more is launched. */
  readonly noMore: AbortSignal
  /** What is under way is stopped. */
  readonly stopping: AbortSignal
}

/**
 * Drives a run to rest, or to the end of work. The lease is given back, but where the run has failed: whoever hears of
 * that postpones the run, before anybody else can claim it.
 */
export async function driveWork(core: AgentCore, held: HeldRun, { noMore, stopping }: EndOfWork): Promise<DriveEnd> {
  const { lease, run } = held
  try {
    const missing = await missingTool(core, run)
    if (missing !== undefined) {
      await core.store.release(lease)
      return { kind: 'left', problem: `It has a call of the tool "${missing}", which the agent has not here.` }
    }
    const handle = new RunHandle(core, lease.runId, {
      stored: Promise.resolve({ ...held, isLent: true }),
      agent: core.name,
    })
    const driving = await handle.begin({ isWatched: false })
    const forget = [onAbort(noMore, () => driving.drain()), onAbort(stopping, () => driving.detach())]
    const rest = await driving.rest.finally(() => forget.forEach((one) => one()))
    await core.store.release(lease)
    return { kind: 'released', status: rest?.status ?? 'running' }
  } catch (error) {
    if (error instanceof SnapshotError) {
      await core.store.release(lease).catch(() => undefined)
      return { kind: 'left', problem: error.message }
    }
    return { kind: 'failed', problem: thrownText(error), isLost: isLost(error) }
  }
}

/** Gives back the lease of a run that failed where it is not the run that is to blame; it expires where that cannot be. */
export async function giveBack({ store }: AgentCore, lease: Lease): Promise<void> {
  await store.release(lease).catch(() => undefined)
}

/**
 * Gives back the lease of a run that failed, so that workers leave the run alone for a while. The lease is gone where the
 * run came to rest once and was driven again, for news: then the run is claimed for it.
 */
export async function postponeRun(
  { newOwner, leaseMs }: AgentCore,
  store: Store,
  { lease, postponement }: { readonly lease: Lease; readonly postponement: Postponement },
): Promise<void> {
  try {
    await store.postpone(lease, postponement)
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'fence_conflict') throw error
    const claimed = await store.claim(lease.runId, newOwner(), leaseMs)
    if (claimed.lease !== undefined) await store.postpone(claimed.lease, postponement)
  }
}

/** The run is another's by now, or gone. */
function isLost(error: unknown): boolean {
  return error instanceof StoreError && losses.has(error.code)
}

const losses: ReadonlySet<string> = new Set(['fence_conflict', 'run_is_driven', 'run_unknown'])

function onAbort(signal: AbortSignal, act: () => Promise<void>): () => void {
  const hear = () => void act().catch(() => undefined)
  if (signal.aborted) hear()
  else signal.addEventListener('abort', hear, { once: true })
  return () => signal.removeEventListener('abort', hear)
}

/**
 * The tool of an open call that the agent does not have; toolsets are opened for it. Throws where one cannot be opened, as
 * the tool may be in it: such a run is tried again.
 */
async function missingTool({ parts: { tools } }: AgentCore, { calls }: StoredRun): Promise<string | undefined> {
  const names = new Set(calls.flatMap(({ record }) => (record.isHold === true ? [] : record.toolName)))
  for (const name of names) {
    if ((await tools.find(name)) !== undefined) continue
    if (tools.failure !== undefined) throw tools.failure
    return name
  }
  return undefined
}
