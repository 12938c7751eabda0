import type { DecisionRecord } from '../../../core/domain/audit-entry.ts'
import { checkDecision } from '../../../core/domain/check-decision.ts'
import { aboutIn, type InboxRow, type PostedItem, type PostReceipt } from '../../../core/domain/inbox.ts'
import { decisionWrites } from '../../../core/domain/granted.ts'
import type { RecordWrite } from '../../../core/domain/records/record-change.ts'
import type { InboxFilter } from '../../../core/ports/inbox-rows.ts'
import { judgePost } from '../../../core/domain/judge-post.ts'
import { decodeCall, decodeDecision, decodeInbox } from '../../../core/stores/rows/decode-rows.ts'
import { areKnown, namesOf, namesOfCalls } from '../../../core/stores/rows/decision-names.ts'
import { type NewInboxRow, rowOfDecision } from '../../../core/stores/rows/encode-start.ts'
import { itemApart, wholeItems } from '../../../core/stores/rows/files.ts'
import { stringifyJson } from '../../../core/stores/rows/json-text.ts'
import { type JudgedDecisions, judgeDecisions } from '../../../core/domain/judge-decisions.ts'
import type { DecisionOccasion } from '../../../core/domain/judge-decision.ts'
import { filesOf, keepFiles } from './files.ts'
import { callRows, selectStatus } from './reading.ts'
import { inboxRow, text } from '../../../core/stores/rows/columns.ts'
import type { Session } from './session.ts'
import { runUnknown } from '../../../core/stores/rows/store-errors.ts'
import type { InboxTextRow } from '../../../core/stores/rows/stored-rows.ts'

/** Selects the rows of a run's inbox that match a condition, in order. */
export const inboxOfRun = (asked: string) => `
  SELECT id, kind, decision_id, call_id, suspension_id, body, at, consumed FROM inbox
  WHERE run_id = ? AND ${asked} ORDER BY id`
const selectOpen = inboxOfRun('consumed IS NULL AND id > ?')
const selectDecisions = inboxOfRun('decision_id IS NOT NULL')
const selectDecisionsAbout = inboxOfRun(`id IN (
  ${[
    'other.call_id = name.value AND other.decision_id IS NOT NULL',
    'other.suspension_id = name.value',
    "other.decision_id >= name.value AND other.decision_id < name.value || '\u{10ffff}'",
  ]
    .map(
      (isNamed) => `
      SELECT other.id FROM json_each(?2) AS name CROSS JOIN inbox AS other ON other.run_id = ?1 AND ${isNamed}`,
    )
    .join(' UNION ')})`)
const selectCancels = inboxOfRun("decision_id IS NULL AND consumed IS NULL AND kind = 'cancelCall'")
const selectAgent = 'SELECT agent FROM runs WHERE id = ?'
const insertRow = `
  INSERT INTO inbox (run_id, kind, decision_id, call_id, suspension_id, body, at) VALUES (?, ?, ?, ?, ?, ?, ?)`

function selectFiltered({ isOpen = false, after, kinds, decisionId }: InboxFilter) {
  const conditions = [
    ...(isOpen ? ['consumed IS NULL'] : []),
    ...(after === undefined ? [] : ['id > ?']),
    ...(decisionId === undefined ? [] : ['decision_id = ?']),
    ...(kinds === undefined ? [] : ['kind IN (SELECT value FROM json_each(?))']),
  ]
  const asked = [after ?? [], decisionId ?? [], kinds === undefined ? [] : JSON.stringify(kinds)].flat()
  return { statement: inboxOfRun(conditions.join(' AND ') || 'true'), asked }
}

/** Returns the part of the store that keeps the items that others send to a run. */
export function createInbox(session: Session, writeRecords: (writes: readonly RecordWrite[]) => void) {
  const { sql, look, settle } = session

  function statusOf(runId: string): string {
    const row = sql(selectStatus).get(runId)
    if (row === undefined) throw runUnknown(runId)
    return text(runId, row, 'status')
  }

  const callsOf = (runId: string, wanted?: readonly string[]) =>
    callRows(session, runId, wanted).map((row) => decodeCall(runId, row))

  function rowsOf(statement: string, runId: string, ...asked: readonly (string | number)[]): readonly InboxTextRow[] {
    const rows = sql(statement).all(runId, ...asked)
    if (rows.length === 0) statusOf(runId)
    return rows.map((row) => inboxRow(runId, row))
  }

  function factsOf(runId: string, names?: readonly string[]) {
    const calls = callsOf(runId, names)
    const rows =
      names === undefined
        ? rowsOf(selectDecisions, runId)
        : rowsOf(selectDecisionsAbout, runId, JSON.stringify([...names, ...namesOfCalls(calls)]))
    return { calls, decisions: rows.map((row) => decodeDecision(runId, row)) }
  }

  return {
    decide(
      runId: string,
      items: readonly unknown[],
      occasion: DecisionOccasion,
      records: readonly (DecisionRecord | undefined)[] = [],
    ): JudgedDecisions {
      const checked = items.map(checkDecision)
      const judge = () => {
        const few = factsOf(runId, namesOf(checked))
        const facts = areKnown(checked, few) ? few : factsOf(runId)
        const cancelled = rowsOf(selectCancels, runId).flatMap(({ callId }) => callId ?? [])
        const judged = judgeDecisions(checked, { ...facts, cancelled, ...occasion }, records)
        return { judged, rows: judged.rows.map((decision) => rowOfDecision(decision, stringifyJson)) }
      }
      const write = ({ judged, rows }: ReturnType<typeof judge>) => {
        for (const row of rows) insertPosted(session, runId, row)
        if (judged.records.length === 0) return
        const agent = text(runId, sql(selectAgent).get(runId) ?? {}, 'agent')
        writeRecords(decisionWrites(judged.records, agent, occasion.now))
      }
      return settle(judge, write, { runId }).judged
    },

    post(runId: string, item: PostedItem, now: number): PostReceipt {
      const kept = itemApart(item, `The ${item.kind} item`)
      const callId = aboutIn(item)
      const ofKind = selectFiltered({ kinds: [item.kind] })
      const judge = () =>
        judgePost(item, {
          runId,
          isDone: statusOf(runId) === 'done',
          calls: () => callsOf(runId),
          unconsumed: () => rowsOf(selectOpen, runId, 0),
          ofKind: () => rowsOf(ofKind.statement, runId, ...ofKind.asked),
        })
      const write = ({ answer }: PostReceipt) => {
        if (answer !== 'applied') return
        insertPosted(session, runId, { ...kept, kind: item.kind, callId, at: now })
      }
      return settle(judge, write, { runId })
    },

    rows(runId: string, filter: InboxFilter): readonly InboxRow[] {
      const { statement, asked } = selectFiltered(filter)
      return look(() => {
        const rows = rowsOf(statement, runId, ...asked)
        const files = filesOf(
          session,
          runId,
          rows.map(({ body }) => body),
        )
        return wholeItems(rows, files).map((row) => decodeInbox(runId, row))
      }, runId)
    },
  }
}

/** Stores a row inside a transaction, and returns its id. */
export function insertPosted(session: Session, runId: string, row: NewInboxRow): number {
  const { kind, decisionId = null, callId, suspensionId = null, body, files, at } = row
  if (files !== undefined) keepFiles(session, runId, files)
  const inserted = session.sql(insertRow).run(runId, kind, decisionId, callId, suspensionId, body, at)
  return Number(inserted.lastInsertRowid)
}
