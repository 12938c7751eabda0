import type { InboxItem, InboxRow } from '../../domain/inbox.ts'
import { decodeCall, decodeDecision, decodeInbox } from '../rows/decode-rows.ts'
import { stringifyJson } from '../rows/json-text.ts'
import { type JudgedDecisions, judgeDecisions } from '../rows/judge-decisions.ts'
import { ofRun, seqColumn } from './schema.ts'
import { inboxRow, logRowOf } from './rows.ts'
import type { Session } from './session.ts'
import { runUnknown } from '../rows/store-errors.ts'
import type { InboxTextRow } from '../rows/stored-rows.ts'

const columns = 'id, kind, decision_id, call_id, suspension_id, body, at, consumed'
const selectRun = 'SELECT 1 FROM runs WHERE id = ?'
const selectOpen = `SELECT ${columns} FROM inbox WHERE run_id = ? AND consumed IS NULL AND id > ? ORDER BY id`
const selectDecision = `SELECT ${columns} FROM inbox WHERE run_id = ? AND decision_id = ?`
const selectDecisions = `SELECT ${columns} FROM inbox WHERE run_id = ? AND decision_id IS NOT NULL ORDER BY id`
const selectCalls = `
  SELECT ${seqColumn}, log.version, kind, body, log.document FROM runs CROSS JOIN log ON ${ofRun}
  WHERE runs.id = ? AND kind = 'call' ORDER BY log.id`
const insertRow = `
  INSERT INTO inbox (run_id, kind, decision_id, call_id, suspension_id, body, at) VALUES (?, ?, ?, ?, ?, ?, ?)`

/** The part of the store that holds what others send to a run. */
export function createInbox({ sql, read, write }: Session) {
  function checkRun(runId: string): void {
    if (sql(selectRun).get(runId) === undefined) throw runUnknown(runId)
  }

  function storedDecisions(runId: string): readonly InboxTextRow[] {
    return sql(selectDecisions)
      .all(runId)
      .map((row) => inboxRow(runId, row))
  }

  return {
    decide(runId: string, items: readonly unknown[], now: number): JudgedDecisions {
      return write(() => {
        checkRun(runId)
        const calls = sql(selectCalls)
          .all(runId)
          .map((row) => decodeCall(runId, logRowOf(runId, row)))
        const decisions = storedDecisions(runId).map((row) => decodeDecision(runId, row))
        const judged = judgeDecisions(items, { calls, decisions, now })
        for (const decision of judged.rows) {
          const { decisionId, callId, suspensionId, at } = decision
          const body = stringifyJson({ kind: 'decision', decision }, `Decision "${decisionId}"`)
          sql(insertRow).run(runId, 'decision', decisionId, callId, suspensionId, body, at)
        }
        return judged
      }, runId)
    },

    post(runId: string, item: Exclude<InboxItem, { kind: 'decision' }>, now: number): void {
      const body = stringifyJson(item, `The ${item.kind} item`)
      const callId = item.kind === 'cancelCall' ? item.callId : null
      write(() => {
        checkRun(runId)
        sql(insertRow).run(runId, item.kind, null, callId, null, body, now)
      })
    },

    rows(runId: string, after: number): readonly InboxRow[] {
      return read(() => {
        checkRun(runId)
        return sql(selectOpen)
          .all(runId, after)
          .map((row) => decodeInbox(runId, inboxRow(runId, row)))
      }, runId)
    },

    decision(runId: string, decisionId: string): InboxRow | undefined {
      return read(() => {
        checkRun(runId)
        const row = sql(selectDecision).get(runId, decisionId)
        return row && decodeInbox(runId, inboxRow(runId, row))
      }, runId)
    },

    decisions(runId: string): readonly InboxRow[] {
      return read(() => {
        checkRun(runId)
        return storedDecisions(runId).map((row) => decodeInbox(runId, row))
      }, runId)
    },
  }
}
