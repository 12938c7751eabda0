import type { Json } from '../domain/json.ts'
import type { LogEntry } from '../domain/log.ts'
import type { RunRecord } from '../domain/run-record.ts'
import { UsageError } from '../domain/usage-error.ts'
import type { NewRun, StoredRun } from '../ports/store.ts'
import { momentOf, type TakenLease } from '../runtime/held-lease.ts'
import type { AgentCore } from './agent-core.ts'

/** A run that is about to be stored. */
export interface PlannedRun {
  readonly id: string
  readonly input: Json
  /** What it goes on with, and the log up to there. Default: nothing. */
  readonly begun?: { readonly continues: NonNullable<StoredRun['continues']>; readonly log: readonly LogEntry[] }
}

/** Stores a new run, in one write; gives the lease it was stored under, none where it is not driven at once. */
export async function createRun(core: AgentCore, planned: PlannedRun, drive: boolean): Promise<TakenLease | undefined> {
  const { store, clock, leaseMs } = core
  const { id, input, begun } = planned
  const since = momentOf(clock)
  const newRun: NewRun = { id, agent: core.name, input, at: since.wall, ...(begun && { continues: begun.continues }) }
  const lease = await store.create(newRun, core.newOwner(), leaseMs)
  if (drive) return { lease, since, run: asStored(newRun, begun) }
  await store.release(lease)
  return undefined
}

/** A run that was just created, as the store has it: under its lease nobody else writes more than its inbox. */
function asStored({ id, agent, input, at }: NewRun, begun: PlannedRun['begun']): StoredRun {
  const record: RunRecord = { id, agent, status: 'running', createdAt: at, updatedAt: at, version: 0 }
  return { record, input, checkpoint: null, document: null, log: [], calls: [], ...begun }
}

/** A run id as it may be stored; throws a `UsageError` for another. */
export function checkedId(id: string): string {
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(id)) return id
  const wish = 'Expected 1 to 128 of the characters A-Z, a-z, 0-9, "_", "-" and ".".'
  throw new UsageError('bad_run_id', `Run id ${JSON.stringify(id)} is refused. ${wish}`)
}
