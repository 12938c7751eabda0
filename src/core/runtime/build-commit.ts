import { type CallRecord, hasOpenSlot, isTerminal } from '../domain/call.ts'
import { abandonedItems, heardEnds } from '../domain/family-link.ts'
import { keptPrompt } from '../domain/found-by.ts'
import { sendItems } from '../domain/outgoing.ts'
import type { RunStatus } from '../domain/outcome.ts'
import { writing } from '../domain/records/record-change.ts'
import { activityOf } from '../domain/session-record.ts'
import type { Commit } from '../ports/store.ts'
import { encodeCheckpoint, encodeChild, encodeInterim } from './document.ts'
import type { Completion, DriveOptions, Remembering } from './drive-options.ts'
import type { LiveRun } from './live-run.ts'
import type { LogEntry } from '../domain/log.ts'
import { type Captured, persistCaptured } from './persist.ts'
import { defined } from '../domain/text/json.ts'

/** A commit, with the state that holds once it has been accepted. */
export interface PendingCommit {
  readonly commit: Commit
  /** JSON of the timers the store then lists. */
  readonly timers: string
  readonly nextSeq: number
}

/** Builds one write from everything since the last commit. */
export function buildCommit(
  live: LiveRun,
  options: Pick<DriveOptions, 'lease' | 'charts' | 'keptInput' | 'toEvent' | 'remembering'>,
  completion: Completion | undefined,
  at: number,
): PendingCommit {
  const { lease, charts, keptInput, toEvent, remembering } = options
  const { stepper, log, change, head: stored, outcome } = live
  const { answered, refused, names, outgoing, isCheckpoint } = change
  log.marks.markCalls(at)
  const append = live.newEntries(toEvent)
  const calls = log.touched()
  const seq = log.nextSeq
  const nextSeq = isCheckpoint ? seq + 1 : seq
  const open = charts.openCalls(stepper.context).flatMap((callId) => log.call(callId) ?? [])
  const checkpoint = isCheckpoint ? [new LateCheckpoint({ seq, names, at }, stepper.capture(), nextSeq, open)] : []
  const pendingTimers = live.timers()
  const timers = JSON.stringify(pendingTimers)
  const input = keptInput(stored.input, stepper.context)
  const prompt = input === undefined ? undefined : keptPrompt(stored.input, append)
  const left = [...outgoing, ...completed(live, completion, at)]
  const sent = remembering === undefined ? left : [...left, ...remembering(memorable(live), at)]
  // Messages to a run, its wait and its end are activities of its session.
  const isActive = stored.session !== undefined && (stepper.status !== 'running' || change.consumed.length > 0)
  const records = [
    ...(sent.length === 0 ? [] : [sendItems(lease.runId, sent, at)]),
    ...(isActive && stored.session !== undefined ? [writing(activityOf(stored.session, at))] : []),
    ...heardEnds(lease.runId, calls),
  ]
  const commit: Commit = {
    runId: lease.runId,
    owner: lease.owner.id,
    fence: lease.fence,
    expectedVersion: stored.version,
    at,
    status: stepper.status as RunStatus,
    ...(outcome === undefined ? {} : { outcome }),
    append: [...append, ...checkpoint],
    calls: isCheckpoint ? calls.map((record) => ({ record, document: null })) : rowsBetweenCheckpoints(calls, live),
    document: isCheckpoint ? null : encodeInterim(stepper.persisted(), nextSeq, charts.rowSource),
    consumed: [...change.consumed.flatMap((id) => (answered.some((row) => row.id === id) ? [] : { id })), ...answered],
    ...(refused.length === 0 ? {} : { emptied: refused }),
    ...(records.length === 0 ? {} : { records }),
    ...(timers === stored.timers ? {} : { timers: pendingTimers }),
    ...defined({ input, prompt }),
  }
  return { commit, timers, nextSeq }
}

/** Returns the new messages since the last commit that a memory may store. */
function memorable({ log, outcome, head: { input }, change: { calls, names } }: LiveRun): Remembering {
  const settled = [...(calls ?? [])].filter((callId) => isTerminal(log.requireCall(callId).status))
  const isOver = names.includes('RunFinished') && outcome !== undefined && outcome.reason !== 'suspended'
  return { input, log, settled, ...(isOver ? { outcome } : {}) }
}

/** Returns the items that leave with a run's end: its answer to a service's request, and cancels of background work. */
function completed({ stepper, log, outcome, head }: LiveRun, completion: Completion | undefined, at: number) {
  if (stepper.status !== 'done' || head.status === 'done') return []
  const abandoned = abandonedItems(outcome, log.calls())
  if (completion === undefined) return abandoned
  const facts = { status: 'done' as const, input: head.input, log: log.entries(), calls: [] }
  return [...abandoned, ...completion({ ...facts, ...(outcome === undefined ? {} : { outcome }) }, at)]
}

/** Writes each changed live call to its own row, without a checkpoint. */
function rowsBetweenCheckpoints(touched: readonly CallRecord[], { stepper, log }: LiveRun): Commit['calls'] {
  const records = new Map(touched.map((record) => [record.callId, record]))
  for (const callId of stepper.changedRows()) {
    const record = log.call(callId)
    if (record !== undefined) records.set(callId, record)
  }
  return [...records.values()].map((record) => {
    const child = stepper.persistedCall(record.callId)
    return { record, document: child === undefined ? null : encodeChild(child) }
  })
}

/**
 * Returns why the next commit is not allowed: a call would settle without a result, or an effect would read a
 * transcript in which a call has neither a result nor a placeholder. The drive asks before each commit.
 */
export function findBrokenPromise({ change, log, runner }: LiveRun): string | undefined {
  const unanswered = log.findWithoutResult()
  if (unanswered !== undefined) return `Call "${unanswered.callId}" would settle without a result.`
  if (log.openSlots === 0) return undefined
  for (const { src } of change.asked?.values() ?? []) {
    if (runner.handlerOf(src).readsTranscript !== true) continue
    const open = log.calls().filter(hasOpenSlot)
    return `"${src}" would read calls without a result: ${open.map((call) => call.callId).join(', ')}.`
  }
  return undefined
}

type CheckpointEntry = Extract<LogEntry, { readonly kind: 'checkpoint' }>

/** The parts of a document. */
interface Encoding {
  readonly root: Captured
  readonly nextSeq: number
  readonly open: readonly CallRecord[]
}

/**
 * A checkpoint whose document is made at the first read, and that afterwards references only its text: a store that
 * keeps its rows in memory makes no text of a state that is never read.
 */
class LateCheckpoint implements CheckpointEntry {
  readonly kind = 'checkpoint'
  readonly seq: number
  readonly names: CheckpointEntry['names']
  readonly at: number
  declare readonly document: string
  #encoding: Encoding | undefined
  #text = ''

  constructor(
    { seq, names, at }: Omit<CheckpointEntry, 'kind' | 'document'>,
    root: Captured,
    nextSeq: number,
    open: readonly CallRecord[],
  ) {
    this.seq = seq
    // A list that has grown has spare capacity; the store keeps a frozen list as it is.
    this.names = Object.freeze([...names])
    this.at = at
    this.#encoding = { root, nextSeq, open: [...open] }
    Object.defineProperty(this, 'document', lateDocument)
  }

  encoded(): string {
    if (this.#encoding !== undefined) {
      const { root, nextSeq, open } = this.#encoding
      this.#text = encodeCheckpoint(persistCaptured(root), nextSeq, open)
      this.#encoding = undefined
    }
    return this.#text
  }
}

/**
 * One accessor for all checkpoints, because V8 keeps an object with its own accessor as a slow table. It is one of each
 * checkpoint's own fields, so that a copy has the text.
 */
const lateDocument: PropertyDescriptor & ThisType<LateCheckpoint> = {
  enumerable: true,
  get() {
    return this.encoded()
  },
}
