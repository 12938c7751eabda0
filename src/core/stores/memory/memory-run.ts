import type { CallRecord } from '../../domain/call.ts'
import type { Owner } from '../../domain/owner.ts'
import type { RunsToDelete } from '../../ports/commit.ts'
import type { NewRun, StoredRun } from '../../ports/store.ts'
import { decodeRun, isInherited } from '../rows/decode-log.ts'
import { decodeCall, decodeRecord } from '../rows/decode-rows.ts'
import { inputOf, noOutcome } from '../rows/encode-commit.ts'
import type { NewInboxRow } from '../rows/encode-start.ts'
import { type KeptJson, stringifyJson } from '../rows/json-text.ts'
import type { InheritedRows } from '../rows/stored-rows.ts'
import { addInboxRow, type MemoryRun, tailOf } from './commit.ts'
import { callRowsOf, inheritedRows, type MemoryLog, firstOf, forgetRows, readTo } from './memory-log.ts'

/** Stores a row that is not a decision, and returns its id. */
export function addPosted(run: MemoryRun, id: number, row: NewInboxRow<KeptJson>): number {
  addInboxRow(run, { decisionId: null, suspensionId: null, ...row, id })
  return id
}

/** Returns a run as `read` returns it. */
export function storedRun(run: MemoryRun): StoredRun {
  return decodeRun(decodeRecord(run.row, tailOf(run)), run.row, run.log.rows, inheritedOf(run))
}

/** Returns the inherited rows of a run. Rows in memory are never damaged. */
export function inheritedOf({ log }: MemoryRun): InheritedRows {
  return { rows: inheritedRows(log), writerOf: () => undefined }
}

/** Returns the calls of a run, in order. */
export function callsOf({ row: { id }, log }: MemoryRun): readonly CallRecord[] {
  return callRowsOf(log).map((row) => decodeCall(id, row))
}

/** Returns a run that is held and has only its input. */
export function newRun(run: NewRun, owner: Owner, expires: number, { log, number }: NewPlace): MemoryRun {
  const { id, agent, agentVersion = null, input, at, forkedFrom, continues, session, subject, labels, prompt } = run
  return {
    number,
    row: {
      id,
      agent,
      agentVersion,
      input: stringifyJson(input, inputOf(id)),
      status: 'running',
      ...noOutcome,
      createdAt: at,
      updatedAt: at,
      version: 0,
      document: null,
      forkedRun: forkedFrom?.runId ?? null,
      forkedVersion: forkedFrom?.version ?? null,
      continuedRun: continues?.runId ?? null,
      firstSeq: log.first,
      session: session ?? null,
      subject: subject ?? null,
      labels: labels === undefined ? null : stringifyJson(labels, `The labels of run "${id}"`),
      prompt: prompt ?? null,
    },
    lease: { fence: 1, owner: owner.id, host: owner.host, pid: owner.pid, pidStart: owner.pidStart, expires },
    log,
    inbox: [],
    timers: [],
  }
}

interface NewPlace {
  readonly log: MemoryLog
  readonly number: number
}

/** Returns the ids of those runs among `others` that read entries of a run. */
export function readersOf({ log }: MemoryRun, others: Iterable<MemoryRun>): readonly string[] {
  const first = log.rows.find(isInherited)
  if (first === undefined) return []
  return [...others].flatMap((run) => (readTo(run.log, log) < first.seq ? [] : run.row.id))
}

/** Removes the log rows of a run that no remaining run reads. */
export function forgetRun({ log }: MemoryRun, others: Iterable<MemoryRun>): void {
  let last = 0
  for (const run of others) last = Math.max(last, readTo(run.log, log))
  forgetRows(log, last)
}

/** Returns the runs that are to be deleted at once, the newest first. */
export function runsTogether(
  runs: ReadonlyMap<string, MemoryRun>,
  { session, runs: named = [] }: RunsToDelete,
): readonly MemoryRun[] {
  const own = [...runs.values()].filter(({ row }) => row.session === session || named.includes(row.id))
  return own.sort((left, right) => right.number - left.number)
}

/**
 * Returns the newest other run of a run's session that began with the same transcript, or undefined if the run
 * continued none.
 */
export function successorOf({ row, log }: MemoryRun, runs: Iterable<MemoryRun>): string | undefined {
  if (row.session === null || row.continuedRun === null) return undefined
  const begun = firstOf(log)
  const others = [...runs].filter((other) => other.row.session === row.session && other.row.id !== row.id)
  const newest = others.toSorted((one, other) => other.row.createdAt - one.row.createdAt || other.number - one.number)
  return newest.find((other) => firstOf(other.log) === begun)?.row.id
}
