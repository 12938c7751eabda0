import {
  callSource,
  forkedContext,
  outcomeOf,
  queueOf,
  requeued,
  statusOf,
  suspensionField,
} from '../../../machines/run/run.fork.ts'
import { askedAgain, isApproved, withoutKeptDecision } from '../../../machines/tool-call/tool-call.fork.ts'
import type { Queued } from '../../../machines/run/run.input-types.ts'
import { type InboxRow, type PostedItem, saidIn } from '../domain/inbox.ts'
import { defined, isRecord, type Json, mapFields } from '../domain/text/json.ts'
import type { LogEntry } from '../domain/log.ts'
import { SnapshotError } from '../domain/snapshot-error.ts'
import type { CallRecord } from '../domain/call.ts'
import { refuseGroup } from '../domain/branch-group.ts'
import { begunChild } from '../domain/family-link.ts'
import { detailsIn } from '../domain/run-details.ts'
import type { Ids } from '../ports/ids.ts'
import type { CheckpointInfo, FirstCommit, StoredRun } from '../ports/store.ts'
import { encodeCheckpoint } from '../runtime/document.ts'
import type { StoredActor, StoredChild } from '../runtime/persist.ts'
import type { AgentCore } from './agent-core.ts'
import { runAtCheckpoint } from './checkpoint-log.ts'
import type { Suspension } from '../domain/suspension.ts'
import { lateResults, backgroundItem } from './late-results.ts'
import { foundBy } from '../domain/found-by.ts'
import type { EffectName } from '../effects/effect-handlers.ts'

/**
 * Stores a new run that continues from a checkpoint of another, in one write and without a lease. The fork has its own
 * id, effect keys, suspension ids and queued rows, and no decisions. A `once` call that the original had started is
 * interrupted in the fork.
 */
export async function forkRun(core: AgentCore, source: StoredRun, version: number, runId: string): Promise<void> {
  const { store, clock, ids } = core
  const { record, input } = source
  refuseGroup(record.id, input)
  const { document, log, inbox, lastSettled: shared, isOpen } = await runAtCheckpoint(store, source, version)
  const { root: found } = document
  const root = withoutDecisions(found)
  const at = clock.now()
  const names = (await store.checkpoints(record.id)).find((info) => info.version === version)?.names ?? []
  const forkedFrom = { runId: record.id, version }
  const continues = { runId: record.id, seq: shared }
  const kept = withSubject(record.id, input)
  const prompt = record.prompt === undefined ? {} : { prompt: record.prompt }
  const run = {
    id: runId,
    agent: record.agent,
    input: kept,
    at,
    forkedFrom,
    continues,
    ...foundBy(runId, kept),
    ...prompt,
    ...defined({ agentVersion: core.version }),
  }
  const said = queueOf(root.context ?? {}).flatMap((queued) => saidBy(record.id, queued, inbox))
  const commit = (rows: readonly number[]): FirstCommit => {
    const queue = said.flatMap(({ head }, index): readonly Queued[] => {
      const inboxId = rows[index]
      return inboxId === undefined ? [] : [{ ...head, inboxId }]
    })
    const begun = { log, shared, root: requeued(root, queue), isOpen }
    const first = firstCommit(begun, renewedSuspensions(ids), { names, at })
    return { ...first, consumed: rows.slice(0, said.length).map((id) => ({ id })) }
  }
  const late = statusOf(root.value) === 'done' ? [] : await lateResults(store, { record, input, log })
  const posted = [
    ...said.map(({ item, at: saidAt }) => ({ item, at: saidAt })),
    ...late.map((message) => ({ item: backgroundItem(message), at })),
  ]
  const owner = core.newOwner()
  const start = posted.length === 0 ? commit([]) : { posted, commit }
  await store.release(await store.create(run, owner, core.leaseMs, start))
}

/** A queued item of the original, with its messages. */
interface SaidOnce {
  readonly head: Pick<Queued, 'kind' | 'isFiltered' | 'warnings'>
  readonly item: PostedItem
  readonly at: number
}

/**
 * Leaves out messages that a filter of the original has rejected since. Results of background work are collected again.
 */
function saidBy(sourceId: string, queued: Queued, inbox: readonly InboxRow[]): readonly SaidOnce[] {
  const { kind } = queued
  if (kind === 'background') return []
  const { inboxId, ...head } = queued
  const row = inbox.find(({ id }) => id === inboxId)
  if (row === undefined) {
    throw new SnapshotError(sourceId, `row ${inboxId} of its inbox, which its queue names, is missing`)
  }
  const messages = saidIn(row)
  return messages.length === 0 ? [] : [{ head, item: { kind, messages }, at: row.at }]
}

/**
 * Keeps the original's subject, also if it was the original itself. A fork belongs to no session and no parallel group,
 * and sends no result to another run.
 */
function withSubject(runId: string, input: Json): Json {
  if (!isRecord(input)) return input
  const { session: _, index: __, configId: ___, parallelGroup: ____, served: _____, family: ______, ...others } = input
  return { ...others, subject: detailsIn(runId, input).subject }
}

/** The state of a run at the checkpoint of a fork. */
interface Start {
  readonly log: readonly LogEntry[]
  /** The last entry that the fork reads from the original; later entries are copied. */
  readonly shared: number
  readonly root: StoredActor
  readonly isOpen: (callId: string) => boolean
}

/** Returns the fork's first commit: the entries that are not shared, and the checkpoint. */
function firstCommit(
  { log: entries, shared, root, isOpen }: Start,
  renewed: RenewedSuspensions,
  { names, at }: Pick<CheckpointInfo, 'names' | 'at'>,
): FirstCommit {
  const copied = entries.filter((entry) => entry.seq > shared)
  const log = renumbered(
    copied.map((entry) => asOwn(entry, renewed)),
    shared,
  )
  const seq = shared + log.length + 1
  const open = log.flatMap((entry) => (entry.kind === 'call' && isOpen(entry.call.callId) ? entry.call : []))
  const document = encodeCheckpoint(renewed.actor(root), seq + 1, open)
  const status = statusOf(root.value)
  return {
    at,
    status,
    ...(status === 'running' ? {} : { outcome: outcomeOf(root.context ?? {}) }),
    append: [...log, { kind: 'checkpoint', seq, names, document, at }],
    calls: [],
    document: null,
    consumed: [],
    timers: timersOf(root),
  }
}

const timerSource: EffectName = 'sleep'

/** Returns the due times of sleeping effects, so that the fork is found although nobody drives it. */
function timersOf(
  { children = {} }: StoredActor,
  path = '',
): readonly { readonly key: string; readonly due: number }[] {
  return Object.entries(children).flatMap(([id, { src, snapshot }]) => {
    const key = `${path}${id}`
    const due = src === timerSource && isRecord(snapshot.input) ? snapshot.input['due'] : undefined
    return typeof due === 'number' ? [{ key, due }] : timersOf(snapshot, `${key}/`)
  })
}

/** Removes the original's decisions; approved calls are asked about again. */
function withoutDecisions(root: StoredActor): StoredActor {
  const { children = {} } = root
  const asked = Object.entries(children).filter(([, { src, snapshot }]) => src === callSource && isApproved(snapshot))
  const askedIds = asked.map(([id]) => id)
  return {
    ...root,
    context: forkedContext(root.context ?? {}, askedIds),
    children: mapFields(children, (child, id) =>
      child.src === callSource ? forkedCall(child, askedIds.includes(id)) : child,
    ),
  }
}

function forkedCall({ src, snapshot }: StoredChild, isAsked: boolean): StoredChild {
  const call = { ...snapshot, context: withoutKeptDecision(snapshot.context ?? {}) }
  if (!isAsked) return { src, snapshot: call }
  const { value, context, timer } = askedAgain(call)
  const snapshotOfTimer: StoredActor = { status: 'active', key: '', input: timer.input }
  return {
    src,
    snapshot: { ...call, value, context, children: { [timer.id]: { src: timer.src, snapshot: snapshotOfTimer } } },
  }
}

/** Functions that give each suspension of the original one new id in all places. */
interface RenewedSuspensions {
  idFor(id: string): string
  actor(actor: StoredActor): StoredActor
}

function renewedSuspensions(ids: Ids): RenewedSuspensions {
  const renewed = new Map<string, string>()
  const idFor = (id: string): string => {
    const known = renewed.get(id) ?? ids.next('sus')
    renewed.set(id, known)
    return known
  }
  const renew = (value: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } =>
    mapFields(value, (item, key) => {
      if (!isRecord(item)) return item
      const { id } = item
      const isSuspension = key === suspensionField && typeof id === 'string'
      return isSuspension ? withoutChild<object>({ ...renew(item), id: idFor(id) }) : renew(item)
    })
  const actor = (given: StoredActor): StoredActor => ({
    ...given,
    ...(given.context && { context: renew(given.context) }),
    ...(given.children && {
      children: mapFields(given.children, (child) => ({ ...child, snapshot: actor(child.snapshot) })),
    }),
  })
  return { idFor, actor }
}

/** Closes the gaps of the original's checkpoints, which are not copied. */
function renumbered(log: readonly LogEntry[], shared: number): readonly LogEntry[] {
  const numbers = new Map(log.map((entry, index) => [entry.seq, shared + index + 1]))
  const moved = (seq: number) => numbers.get(seq) ?? seq
  return log.map((entry): LogEntry => {
    const seq = moved(entry.seq)
    if (entry.kind === 'call') {
      const { messageSeq, resultSeq } = entry.call
      const result = resultSeq === undefined ? {} : { resultSeq: moved(resultSeq) }
      return { ...entry, seq, call: { ...entry.call, seq, messageSeq: moved(messageSeq), ...result } }
    }
    if (entry.kind !== 'message' || entry.place === undefined) return { ...entry, seq }
    return { ...entry, seq, place: moved(entry.place) }
  })
}

/**
 * Renews the suspension of an entry; finished work stays the original's. A copy has no time, because its event is the
 * original's.
 */
function asOwn(entry: LogEntry, renewed: RenewedSuspensions): LogEntry {
  if (entry.kind === 'message' || entry.kind === 'state' || entry.kind === 'value') {
    const { at: _, ...copy } = entry
    return copy
  }
  if (entry.kind !== 'call') return entry
  const own = begunChild(entry.call) === undefined ? entry.call : withoutSteps(entry.call)
  if (own.suspension === undefined) return { ...entry, call: own }
  const { steps: _, ...suspension } = own.suspension
  const again: Suspension = { ...suspension, id: renewed.idFor(suspension.id) }
  return { ...entry, call: { ...own, suspension: withoutChild(again) } }
}

/** The fork does not have the original's child runs. */
function withoutSteps({ steps: _, ...call }: CallRecord): CallRecord {
  return call
}

/** A call that waits for the original's child run waits for a person in the fork. */
function withoutChild<Held extends { readonly reason?: unknown; readonly parameters?: unknown }>(suspension: Held) {
  if (suspension.reason !== 'subAgent') return suspension
  const { parameters: _, ...others } = suspension
  const message = 'The sub-agent works for the original of this fork. It may or may not have acted.'
  return { ...others, reason: 'interrupted' as const, message }
}
