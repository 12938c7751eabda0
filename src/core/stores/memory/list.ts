import { withArguments } from '../../domain/call.ts'
import type { Json } from '../../domain/text/json.ts'
import type { DamagedRun, ListedRun, RunFilter, SuspendedFilter, SuspendedRun } from '../../ports/store-lists.ts'
import { decodeCall, decodeMessage, decodeRecord } from '../rows/decode-rows.ts'
import { cursorOf, isBehind, type ListPlace, placeBefore } from '../../domain/list-cursor.ts'
import { unlessDamaged } from '../rows/unless-damaged.ts'
import { type MemoryRun, tailOf } from './commit.ts'
import { callRowsOf } from './memory-log.ts'

/**
 * Returns the records of the runs that match a filter, the newest first; for an unreadable run, the problem with it.
 */
export function listRuns(runs: Iterable<MemoryRun>, filter: RunFilter): readonly (ListedRun | DamagedRun)[] {
  return listed(runs, filter, recordOf)
}

/** Returns those of them that wait for answers, with their calls. */
export function listSuspended(
  runs: Iterable<MemoryRun>,
  filter: SuspendedFilter,
): readonly (SuspendedRun | DamagedRun)[] {
  const waiting = [...runs].filter(({ row, log }) => row.status !== 'done' && callRowsOf(log).some(isSuspended))
  return listed(waiting, filter, suspendedRun)
}

function listed<Item>(
  runs: Iterable<MemoryRun>,
  { status, agent, updatedBefore, session, subject, labels = {}, before, limit = 100 }: RunFilter,
  read: (run: MemoryRun) => Item,
): readonly (Item | DamagedRun)[] {
  const place = placeBefore(before)
  const wanted = Object.entries(labels)
  const isAsked = ({ row }: MemoryRun) =>
    (status === undefined || row.status === status) &&
    (agent === undefined || row.agent === agent) &&
    (session === undefined || row.session === session) &&
    (subject === undefined || row.subject === subject)
  const hasLabels = (run: MemoryRun) => {
    const record = wanted.length === 0 ? { labels: {} } : unlessDamaged(run.row.id, placeOf(run), () => recordOf(run))
    if ('damaged' in record) return true
    const found: NonNullable<ListedRun['labels']> = record.labels ?? {}
    return wanted.every(([name, value]) => Object.hasOwn(found, name) && found[name] === value)
  }
  const isOld = (run: MemoryRun) => {
    if (updatedBefore === undefined) return true
    if (run.row.updatedAt >= updatedBefore) return false
    const record = unlessDamaged(run.row.id, placeOf(run), () => recordOf(run))
    return 'damaged' in record || record.updatedAt < updatedBefore
  }
  return [...runs]
    .filter((run) => isBehind(placeOf(run), place) && isAsked(run) && hasLabels(run) && isOld(run))
    .sort((left, right) => (isBehind(placeOf(left), placeOf(right)) ? 1 : -1))
    .slice(0, limit)
    .map((run) => unlessDamaged(run.row.id, placeOf(run), () => read(run)))
}

function placeOf({ row, number }: MemoryRun): ListPlace {
  return { time: row.createdAt, number }
}

function recordOf(run: MemoryRun): ListedRun {
  return { ...decodeRecord(run.row, tailOf(run)), cursor: cursorOf(placeOf(run)) }
}

function suspendedRun(run: MemoryRun): SuspendedRun {
  const { id } = run.row
  const message = (seq: number) => {
    const row = run.log.rows[seq - run.log.first]
    return row?.kind === 'message' ? decodeMessage(id, row).message : undefined
  }
  const rows = callRowsOf(run.log).filter(isSuspended)
  const calls = rows.map((row) => withArguments(decodeCall(id, row), { message }))
  const decided = new Set(
    run.inbox.flatMap(({ decisionId, consumed, callId }) =>
      decisionId !== null && consumed === null ? (callId ?? []) : [],
    ),
  )
  return {
    record: recordOf(run),
    calls,
    answered: calls.flatMap(({ callId }) => (decided.has(callId) ? callId : [])),
  }
}

function isSuspended({ body }: { readonly body: string | { readonly value: Json } }): boolean {
  const record = typeof body === 'string' ? undefined : body.value
  return typeof record === 'object' && record !== null && 'status' in record && record.status === 'suspended'
}

/** Returns the ids of the runs whose earliest timer is due, in the order of these times. */
export function dueRuns(runs: Iterable<MemoryRun>, now: number): readonly string[] {
  return [...runs]
    .map(({ row, timers }) => ({ id: row.id, due: Math.min(...timers.map((timer) => timer.due)) }))
    .filter(({ due }) => due <= now)
    .sort((left, right) => left.due - right.due)
    .map(({ id }) => id)
}
