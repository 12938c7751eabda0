import type { LogEntry } from '../domain/log.ts'
import type { Suspension } from '../domain/suspension.ts'
import { StoreError } from '../domain/store-error.ts'
import type { Ids } from '../ports/ids.ts'
import type { CheckpointInfo, FirstCommit, Lease, StoredRun } from '../ports/store.ts'
import { encodeCheckpoint, parseDocument } from '../runtime/document.ts'
import { logAsOf } from '../runtime/open-calls.ts'
import type { StoredActor, StoredChild } from '../runtime/persist.ts'
import type { AgentCore } from './agent-core.ts'

/**
 * Stores a new run that goes on from a checkpoint of another, in one write: own id and effect keys, fresh
 * suspension ids, no decisions. A `once` call the original had started comes back interrupted.
 */
export async function forkRun(core: AgentCore, source: StoredRun, version: number, runId: string): Promise<Lease> {
  const { store, clock, ids } = core
  const { checkpoint, record, input } = source
  if (checkpoint === null) {
    throw new StoreError('run_unknown', `Run "${record.id}" has no checkpoint ${version}. List them with history().`)
  }
  const { root: found, calls = {} } = parseDocument(record.id, checkpoint.document)
  const root = withoutApprovals(found)
  const isOpen = (callId: string) => Object.hasOwn(calls, callId) || root.children?.[callId] !== undefined
  const at = clock.now()
  const names = (await store.checkpoints(record.id)).find((info) => info.version === version)?.names ?? []
  const forkedFrom = { runId: record.id, version }
  const run = { id: runId, agent: record.agent, input, at, forkedFrom }
  const log = logAsOf(source.log, root, calls)
  const first = firstCommit({ log, root, isOpen }, new RenewedSuspensions(ids), { names, at })
  return store.create(run, core.newOwner(), core.leaseMs, first)
}

/** A run as its checkpoint found it. */
interface Start {
  readonly log: readonly LogEntry[]
  readonly root: StoredActor
  readonly isOpen: (callId: string) => boolean
}

/** The original's log up to the checkpoint, and that checkpoint, as the fork's own. */
function firstCommit(
  { log: entries, root, isOpen }: Start,
  renewed: RenewedSuspensions,
  { names, at }: Pick<CheckpointInfo, 'names' | 'at'>,
): FirstCommit {
  const log = renumbered(entries.map((entry) => asOwn(entry, renewed)))
  const seq = log.length + 1
  const open = log.flatMap((entry) => (entry.kind === 'call' && isOpen(entry.call.callId) ? entry.call : []))
  const document = encodeCheckpoint(renewed.actor(root), seq + 1, open)
  const status = statusOf(root)
  return {
    at,
    status,
    ...(status === 'running' ? {} : { outcome: outcomeOf(root) }),
    append: [...log, { kind: 'checkpoint', seq, names, document, at }],
    calls: [],
    document: null,
    consumed: [],
    timers: timersOf(root),
  }
}

/** Due times of what sleeps, so that the fork's are found though nobody drives it. */
function timersOf(
  { children = {} }: StoredActor,
  path = '',
): readonly { readonly key: string; readonly due: number }[] {
  return Object.entries(children).flatMap(([id, { src, snapshot }]) => {
    const key = `${path}${id}`
    const due = src === 'sleep' && isRecord(snapshot.input) ? snapshot.input['due'] : undefined
    return typeof due === 'number' ? [{ key, due }] : timersOf(snapshot, `${key}/`)
  })
}

/** A call that the original was given an answer for, and has not carried out, is asked about again. */
function withoutApprovals(root: StoredActor): StoredActor {
  const approved = Object.entries(root.children ?? {}).filter(([, child]) => isApproved(child))
  if (approved.length === 0) return root
  const calls = isRecord(root.context?.['calls']) ? root.context['calls'] : {}
  const reset = approved.map(([id]) => [id, { ...(isRecord(calls[id]) ? calls[id] : {}), status: 'suspended' }])
  const suspended = approved.map(([id, child]): [string, StoredChild] => [
    id,
    { ...child, snapshot: asked(child.snapshot) },
  ])
  return {
    ...root,
    context: { ...root.context, calls: { ...calls, ...Object.fromEntries(reset) } },
    children: { ...root.children, ...Object.fromEntries(suspended) },
  }
}

/** A `once` call that runs comes back interrupted, which asks as well. */
function isApproved({ src, snapshot: { value, context } }: StoredChild): boolean {
  if (src !== 'toolCall') return false
  if (isRecord(value) && value['suspended'] === 'answered') return true
  if (!isRecord(context?.['decision'])) return false
  const isOnce = (context['effects'] ?? 'once') === 'once'
  return topLevel(value) === 'resuming' || (topLevel(value) === 'running' && !isOnce)
}

function asked(actor: StoredActor): StoredActor {
  const { decision: _, ...context } = actor.context ?? {}
  const due = isSuspension(context['suspension']) ? (context['suspension'].expiresAt ?? null) : null
  const expiry: StoredChild = { src: 'sleep', snapshot: { status: 'active', key: '', input: { due } } }
  return { ...actor, value: { suspended: 'resting' }, context, children: { expiry } }
}

/** Gives each suspension of the original one fresh id, wherever it is named. */
class RenewedSuspensions {
  readonly #ids: Ids
  readonly #renewed = new Map<string, string>()

  constructor(ids: Ids) {
    this.#ids = ids
  }

  idFor(id: string): string {
    const known = this.#renewed.get(id) ?? this.#ids.next('sus')
    this.#renewed.set(id, known)
    return known
  }

  actor(actor: StoredActor): StoredActor {
    const { context, children } = actor
    return {
      ...actor,
      ...(context === undefined ? {} : { context: { ...this.#walk(context), ...withoutDecisions(context) } }),
      ...(children === undefined ? {} : { children: this.#children(children) }),
    }
  }

  #children(children: { readonly [id: string]: StoredChild }): { readonly [id: string]: StoredChild } {
    const entries = Object.entries(children)
    return Object.fromEntries(entries.map(([id, child]) => [id, { ...child, snapshot: this.actor(child.snapshot) }]))
  }

  /** Renews the ids of whatever sits under a key `suspension`, at any depth. */
  #walk(value: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        if (!isRecord(item)) return [key, item]
        const walked = this.#walk(item)
        const id = item['id']
        return [key, key === 'suspension' && typeof id === 'string' ? { ...walked, id: this.idFor(id) } : walked]
      }),
    )
  }
}

function withoutDecisions(context: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } {
  return { ...('decisions' in context ? { decisions: [] } : {}), ...('kept' in context ? { kept: null } : {}) }
}

/** The original's checkpoints are not copied, so the entries close up. */
function renumbered(log: readonly LogEntry[]): readonly LogEntry[] {
  const numbers = new Map(log.map((entry, index) => [entry.seq, index + 1]))
  const moved = (seq: number) => numbers.get(seq) ?? seq
  return log.map((entry): LogEntry => {
    const seq = moved(entry.seq)
    if (entry.kind === 'call')
      return { ...entry, seq, call: { ...entry.call, seq, messageSeq: moved(entry.call.messageSeq) } }
    if (entry.kind !== 'message' || entry.replaces === undefined) return { ...entry, seq }
    return { ...entry, seq, replaces: moved(entry.replaces) }
  })
}

/** A suspension of the original is one of the fork's, under the id it has there. */
function asOwn(entry: LogEntry, renewed: RenewedSuspensions): LogEntry {
  if (entry.kind !== 'call' || entry.call.suspension === undefined) return entry
  const { suspension } = entry.call
  return { ...entry, call: { ...entry.call, suspension: { ...suspension, id: renewed.idFor(suspension.id) } } }
}

function statusOf({ value }: StoredActor): 'running' | 'waiting' | 'done' {
  return value === 'waiting' || value === 'done' ? value : 'running'
}

function outcomeOf({ context }: StoredActor): { reason: 'suspended' } {
  const outcome = context?.['outcome']
  return isRecord(outcome) && typeof outcome['reason'] === 'string' ? (outcome as never) : { reason: 'suspended' }
}

function topLevel(value: unknown): string | undefined {
  return typeof value === 'string' ? value : Object.keys(value as object)[0]
}

function isSuspension(value: unknown): value is Suspension {
  return isRecord(value) && typeof value['id'] === 'string' && typeof value['reason'] === 'string'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
