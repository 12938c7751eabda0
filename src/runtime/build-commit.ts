import type { CallRecord } from '../domain/call.ts'
import type { Outcome, RunStatus } from '../domain/outcome.ts'
import type { EffectHandler } from '../ports/effect-handler.ts'
import type { Commit, Lease } from '../ports/store.ts'
import { encodeCheckpoint, encodeInterim } from './document.ts'
import type { RunLog } from './run-log.ts'
import type { StoredActor } from './persist.ts'
import type { Stepper } from './stepper.ts'

export interface CommitParts {
  readonly lease: Lease
  readonly version: number
  readonly at: number
  readonly rowSource: string
  /** Ids of the calls whose records may still change. */
  readonly openCalls: readonly string[]
  readonly stepper: Stepper
  readonly runLog: RunLog
  readonly consumed: readonly number[]
  readonly outcome: Outcome | undefined
  readonly timers: readonly { readonly key: string; readonly due: number }[]
  /** JSON of the timers the store has. */
  readonly knownTimers: string
}

/** A commit, and what holds once it has been accepted. */
export interface PendingCommit {
  readonly commit: Commit
  readonly timers: string
  readonly nextSeq: number
}

/** Everything since the last commit, as one write. */
export function buildCommit(parts: CommitParts): PendingCommit {
  const { lease, stepper, runLog, at, consumed, outcome } = parts
  const { append, calls, answered } = runLog.uncommitted()
  const { names } = stepper
  const persisted = stepper.persisted()
  const isCheckpoint = names.length > 0
  const nextSeq = runLog.nextSeq + (isCheckpoint ? 1 : 0)
  const document = isCheckpoint ? encodeCheckpoint(persisted, nextSeq, openRecords(parts)) : null
  const checkpoint =
    document === null ? [] : [{ kind: 'checkpoint' as const, seq: runLog.nextSeq, names, document, at }]
  const timers = JSON.stringify(parts.timers)
  const commit: Commit = {
    runId: lease.runId,
    owner: lease.owner.id,
    fence: lease.fence,
    expectedVersion: parts.version,
    at,
    status: stepper.status as RunStatus,
    ...(outcome === undefined ? {} : { outcome }),
    append: [...append, ...checkpoint],
    calls: isCheckpoint
      ? calls.map((record) => ({ record, document: null }))
      : rowsBetweenCheckpoints(calls, stepper, runLog, persisted),
    document: isCheckpoint ? null : encodeInterim(persisted, nextSeq, parts.rowSource),
    consumed: [...consumed.filter((id) => !answered.some((row) => row.id === id)).map((id) => ({ id })), ...answered],
    ...(timers === parts.knownTimers ? {} : { timers: parts.timers }),
  }
  return { commit, timers, nextSeq }
}

function openRecords({ openCalls, runLog }: CommitParts): readonly CallRecord[] {
  return openCalls.flatMap((callId) => runLog.call(callId) ?? [])
}

/** Between checkpoints each live call that changed is written to its own row. */
function rowsBetweenCheckpoints(
  touched: readonly CallRecord[],
  stepper: Stepper,
  runLog: RunLog,
  { children = {} }: StoredActor,
): Commit['calls'] {
  const records = new Map(touched.map((record) => [record.callId, record]))
  for (const callId of stepper.changedRows()) {
    const record = runLog.call(callId)
    if (record !== undefined) records.set(callId, record)
  }
  return [...records.values()].map((record) => {
    const child = children[record.callId]
    return { record, document: child === undefined ? null : JSON.stringify(child) }
  })
}

/** Whether an effect that reads the transcript is asked for and was never launched, in this process or before. */
export function isReaderPending(
  stepper: Stepper,
  handlers: { readonly [src: string]: EffectHandler<never, unknown> },
): boolean {
  return [...stepper.outbox.values()].some(
    ({ src, isLaunched, isRestored }) => !isLaunched && !isRestored && handlers[src]?.readsTranscript === true,
  )
}

/** Why the next commit may not be made: a call would settle, or be read, without an answer. */
export function findBrokenPromise(
  stepper: Stepper,
  runLog: RunLog,
  handlers: { readonly [src: string]: EffectHandler<never, unknown> },
): string | undefined {
  const unanswered = runLog.findUnanswered()
  if (unanswered !== undefined) return `Call "${unanswered.callId}" would settle without a result.`
  if (runLog.openSlots === 0) return undefined
  for (const { src, isCommitted } of stepper.outbox.values()) {
    if (isCommitted || handlers[src]?.readsTranscript !== true) continue
    const open = runLog.calls().filter((call) => call.result === undefined && call.placeholder !== true)
    return `"${src}" would read calls without a result: ${open.map((call) => call.callId).join(', ')}.`
  }
  return undefined
}
