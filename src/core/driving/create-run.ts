import { defined, isRecord, type JsonObject } from '../domain/text/json.ts'
import type { LogEntry } from '../domain/log.ts'
import type { RunRecord } from '../domain/run-record.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { Message } from '../domain/message.ts'
import type { FirstCommit, NewRun, StoredRun } from '../ports/store.ts'
import { encodeBeginning } from '../runtime/document.ts'
import { endTrace, openTrace } from '../runtime/trace-run.ts'
import { momentOf, type TakenLease } from '../runtime/held-lease.ts'
import type { AgentCore } from './agent-core.ts'
import { type FoundBy, foundBy } from '../domain/found-by.ts'

/** A run that is about to be stored. */
export interface PlannedRun extends Pick<NewRun, 'id' | 'input' | 'session' | 'records' | 'posted'> {
  /** The earliest start by a worker, in Unix milliseconds. Default: at once. */
  readonly at?: number
  /** The continued run, and the log up to there. Default: none. */
  readonly begun?: { readonly continues: NonNullable<StoredRun['continues']>; readonly log: readonly LogEntry[] }
}

/**
 * Stores a new run in one write. Returns the lease of the new run, or none if this process does not drive it at once.
 */
export async function createRun(core: AgentCore, planned: PlannedRun, drive: boolean): Promise<TakenLease | undefined> {
  const { tracer } = core
  if (tracer === undefined) return await storeNew(core, planned, drive)
  const trace = openTrace(tracer, planned.id, core.name, planned.input)
  const traced = trace?.traceparent === undefined ? {} : { traceparent: trace.traceparent }
  const input = isRecord(planned.input) ? { ...planned.input, ...traced } : planned.input
  let taken: TakenLease | undefined
  try {
    taken = await storeNew(core, { ...planned, input }, drive)
    return taken && { ...taken, ...(trace && { trace }) }
  } finally {
    if (taken === undefined && trace !== undefined) endTrace(trace, undefined)
  }
}

async function storeNew(core: AgentCore, planned: PlannedRun, drive: boolean): Promise<TakenLease | undefined> {
  const { store, clock, leaseMs } = core
  const since = momentOf(clock)
  const found = foundBy(planned.id, planned.input)
  // A run with a start time has no lease: it waits for a worker even if this process or the store ends after this
  // write.
  const newRun = newRunOf(core, drive ? planned : { ...planned, at: planned.at ?? 0 }, since.wall, found)
  const lease = await store.create(newRun, core.newOwner(), leaseMs)
  return drive ? { lease, since, run: asStored(newRun, planned.begun, found) } : undefined
}

/**
 * Stores a run that is finished from the beginning. Its messages can be continued as if another run had written them.
 */
export async function createEndedRun(
  core: AgentCore,
  planned: PlannedRun,
  messages: readonly Message[],
): Promise<void> {
  const { store, clock, leaseMs } = core
  const at = clock.now()
  const last = planned.begun?.continues.seq ?? 0
  const carried = last + messages.length
  const input = carried === 0 ? planned.input : { ...(planned.input as JsonObject), carried, given: messages.length }
  const append = messages.map((message, index): LogEntry => ({ kind: 'message', seq: last + index + 1, message }))
  const first: FirstCommit = {
    at,
    status: 'done',
    outcome: { reason: 'natural_end' },
    append,
    calls: [],
    document: encodeBeginning(last + append.length + 1),
    consumed: [],
  }
  const newRun = newRunOf(core, { ...planned, input }, at, foundBy(planned.id, input))
  await store.release(await store.create(newRun, core.newOwner(), leaseMs, first))
}

function newRunOf({ name, version: agentVersion }: AgentCore, planned: PlannedRun, at: number, found: FoundBy): NewRun {
  const { id, input, at: notBefore, begun, session, records, posted = [] } = planned
  return {
    id,
    agent: name,
    input,
    at,
    ...defined({ agentVersion, notBefore, continues: begun?.continues, session, records }),
    ...(posted.length === 0 ? {} : { posted }),
    ...found,
  }
}

/** Returns a new run as stored: under its lease others write only its inbox. */
function asStored({ id, agent, input, at }: NewRun, begun: PlannedRun['begun'], found: FoundBy): StoredRun {
  const record: RunRecord = { id, agent, status: 'running', createdAt: at, updatedAt: at, version: 0, ...found }
  return { record, input, checkpoint: null, document: null, log: [], calls: [], ...begun }
}

/** Returns a valid run id; throws a `UsageError` for an invalid one. */
export function checkedId(id: string): string {
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(namedRun(id)) && id !== 'last' && !/\.to\.\d+$/.test(id)) return id
  throw new UsageError('bad_run_id', `Run id ${JSON.stringify(id)} is refused. ${anId}`)
}

const anId =
  'Expected 1 to 128 of the characters A-Z, a-z, 0-9, "_", "-" and "."; "last" names the newest run, and an end like ".to.1" a run after a hand-over.'

/** Returns the id of a run; throws a `UsageError` for a value that is not a text, which stores read differently. */
export function namedRun(id: string): string {
  if (typeof id === 'string') return id
  throw new UsageError('bad_run_id', `A run id is not a text. ${anId}`)
}
