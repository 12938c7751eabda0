import type { CallRecord } from '../../domain/call.ts'
import type { Owner } from '../../domain/owner.ts'
import type { NewRun, StoredRun } from '../../ports/store.ts'
import { decodeRun } from '../rows/decode-log.ts'
import { decodeCall, decodeRecord } from '../rows/decode-rows.ts'
import { inputOf, noOutcome } from '../rows/encode-commit.ts'
import type { FirstRow } from '../rows/encode-start.ts'
import { type KeptJson, stringifyJson } from '../rows/json-text.ts'
import type { InheritedRows } from '../rows/stored-rows.ts'
import { addInboxRow, type MemoryRun, tailOf } from './commit.ts'
import { callRowsOf, inheritedRows, type MemoryLog } from './memory-log.ts'

/** Stores a row that is no decision; returns its id. */
export function addPosted(run: MemoryRun, id: number, row: FirstRow<KeptJson>): number {
  addInboxRow(run, { ...row, id, decisionId: null, suspensionId: null })
  return id
}

/** A run as `read` gives it. */
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

/** A run that is held and has nothing but its input. */
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
