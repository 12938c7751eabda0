import type { Json } from '../domain/json.ts'
import type { LogEntry } from '../domain/log.ts'
import type { RunRecord } from '../domain/run-record.ts'
import { UsageError } from '../domain/usage-error.ts'
import type { FirstCommit, NewRun, StoredRun } from '../ports/store.ts'
import { encodeBeginning } from '../runtime/document.ts'
import { momentOf, type TakenLease } from '../runtime/held-lease.ts'
import type { AgentCore } from './agent-core.ts'

/** A run that is about to be stored. */
export interface PlannedRun {
  readonly id: string
  readonly input: Json
  /** What its log is begun with, numbered from 1. Default: nothing. */
  readonly carried?: readonly LogEntry[]
}

/** Stores a new run, in one write; gives the lease it was stored under, none where it is not driven at once. */
export async function createRun(core: AgentCore, planned: PlannedRun, drive: boolean): Promise<TakenLease | undefined> {
  const { store, clock, leaseMs } = core
  const { id, input, carried = [] } = planned
  const since = momentOf(clock)
  const newRun: NewRun = { id, agent: core.name, input, at: since.wall }
  const first = carried.length === 0 ? undefined : beginningWith(carried, since.wall)
  const lease = await store.create(newRun, core.newOwner(), leaseMs, first)
  if (drive) return { lease, since, run: asStored(newRun, first) }
  await store.release(lease)
  return undefined
}

/** The run stands at version 1 and its chart has not begun: whoever drives it begins it behind what it carries. */
function beginningWith(carried: readonly LogEntry[], at: number): FirstCommit {
  const document = encodeBeginning(carried.length + 1)
  return { at, status: 'running', append: carried, calls: [], document, consumed: [] }
}

/** A run that was just created, as the store has it: under its lease nobody else writes more than its inbox. */
function asStored({ id, agent, input, at }: NewRun, first: FirstCommit | undefined): StoredRun {
  const version = first === undefined ? 0 : 1
  const record: RunRecord = { id, agent, status: 'running', createdAt: at, updatedAt: at, version }
  return { record, input, checkpoint: null, document: first?.document ?? null, log: first?.append ?? [], calls: [] }
}

/** A run id as it may be stored; throws a `UsageError` for another. */
export function checkedId(id: string): string {
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(id)) return id
  const wish = 'Expected 1 to 128 of the characters A-Z, a-z, 0-9, "_", "-" and ".".'
  throw new UsageError('bad_run_id', `Run id ${JSON.stringify(id)} is refused. ${wish}`)
}
