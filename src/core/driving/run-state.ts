import type { CallRecord, SuspendedCall } from '../domain/call.ts'
import { carriedIn } from '../domain/carried.ts'
import type { StoredDecision } from '../domain/inbox.ts'
import type { Json } from '../domain/text/json.ts'
import { having, oneOf } from '../domain/text/option-shape.ts'
import type { Message } from '../domain/message.ts'
import type { Store, StoredRun } from '../ports/store.ts'
import { runMigrations } from '../../../machines/run/run.schema.ts'
import { logAsOf, parseDocument } from '../runtime/document.ts'
import { RunLog } from '../runtime/run-log.ts'
import { suspendedCalls } from './run-result.ts'

/** The state of a run at a checkpoint. */
export interface RunState {
  readonly version: number
  /** The nested state of the run machine. */
  readonly value: Json
  /** The transcript up to the checkpoint; slots that then showed nothing are left out. */
  readonly messages: readonly Message[]
  /** Every call of the model until then, in its state at that time. */
  readonly calls: readonly CallRecord[]
  readonly state: Json
}

/** Returns the state at a checkpoint without running anything. */
export function stateAt(run: StoredRun, version: number): RunState {
  const { checkpoint, record, log, input } = run
  if (checkpoint === null) throw new Error(`Run "${record.id}" has no checkpoint ${version}.`)
  const { root, calls = {} } = parseDocument(record.id, checkpoint.document, runMigrations)
  const runLog = new RunLog(logAsOf(log, root, calls), checkpoint.seq, undefined, carriedIn(input))
  return {
    version,
    value: root.value as Json,
    messages: runLog.messages(),
    calls: runLog.calls(),
    state: runLog.state,
  }
}

/** The durable paths of the run-lifecycle source, by their names there (requirements CKP-02, RUN-11). */
export interface DurablePaths {
  /** `code` says more of the reasons `stopped` and `error`, e.g. `max_turns`. */
  readonly __run: { id: string; status: string; done_reason: string | null; code: string | null; updated_at: number }
  readonly __tool_call_states: { readonly [callId: string]: CallRecord['status'] }
  readonly __suspended_tool_calls: { readonly [callId: string]: SuspendedCall }
  readonly __resume_decisions: { readonly [callId: string]: StoredDecision }
}

/** Reads one durable path from the store without running anything. */
export async function readDurablePath<P extends keyof DurablePaths>(
  store: Store,
  runId: string,
  path: P,
): Promise<DurablePaths[P]> {
  having('a store', 'record')(store, { field: 'store', owner: 'readDurablePath' })
  const paths: { readonly [K in keyof DurablePaths]: () => Promise<DurablePaths[K]> } = {
    __run: async () => {
      const { id, status, doneReason = null, code = null, updatedAt } = await store.record(runId)
      return { id, status, done_reason: doneReason, code, updated_at: updatedAt }
    },
    __tool_call_states: async () => {
      const rows = await store.calls(runId)
      return Object.fromEntries(rows.map(({ record }) => [record.callId, record.status]))
    },
    __suspended_tool_calls: async () => {
      const { calls, log } = await store.read(runId)
      const rows = calls.map(({ record }) => record)
      return Object.fromEntries(suspendedCalls(rows, log).map((call) => [call.callId, call]))
    },
    __resume_decisions: async () => {
      const rows = await store.inbox(runId, { kinds: ['decision'] })
      const decisions = rows.flatMap(({ item }) => (item.kind === 'decision' ? item.decision : []))
      return Object.fromEntries(decisions.map((decision) => [decision.callId, decision]))
    },
  }
  oneOf(...Object.keys(paths))(path, { field: 'path', owner: 'readDurablePath' })
  return paths[path]()
}
