import type { DecisionRecord } from '../../../core/domain/audit-entry.ts'
import { type CheckedDecision, checkDecision } from '../../../core/domain/check-decision.ts'
import type { Decision, DecisionReceipt } from '../../../core/domain/decision.ts'
import { aboutIn, changingKinds, type InboxRow, type PostedItem, type PostReceipt } from '../../../core/domain/inbox.ts'
import type { DecisionOccasion } from '../../../core/domain/judge-decision.ts'
import { judgeDecisions } from '../../../core/domain/judge-decisions.ts'
import { decisionWrites } from '../../../core/domain/granted.ts'
import type { RecordWrite } from '../../../core/domain/records/record-change.ts'
import type { InboxFilter } from '../../../core/ports/inbox-rows.ts'
import { judgePost } from '../../../core/domain/judge-post.ts'
import { inboxRow, number, text } from '../../../core/stores/rows/columns.ts'
import { decodeCall, decodeDecision, decodeInbox } from '../../../core/stores/rows/decode-rows.ts'
import { placeColumns, placeOf, type RunPlace } from '../../../core/stores/rows/run-place.ts'
import { areKnown, namesOf, namesOfCalls } from '../../../core/stores/rows/decision-names.ts'
import { type NewInboxRow, rowOfDecision } from '../../../core/stores/rows/encode-start.ts'
import { itemApart, wholeItems } from '../../../core/stores/rows/files.ts'
import { stringifyJson } from '../../../core/stores/rows/json-text.ts'
import { runUnknown } from '../../../core/stores/rows/store-errors.ts'
import type { InboxTextRow } from '../../../core/stores/rows/stored-rows.ts'
import { filesOf, keepFiles } from './files.ts'
import { payloadOf } from './listener.ts'
import { callRows, statusOf } from './reading.ts'
import type { Session, Sql, SqlValue } from './session.ts'

const columns = `
  inbox.id, inbox.kind, decision_id, call_id, suspension_id, inbox.body, inbox.at, consumed`
const inboxOfRun = (asked: string) => `
  SELECT ${columns} FROM @.inbox JOIN @.runs ON runs.number = inbox.run
  WHERE runs.id = $1 AND ${asked} ORDER BY inbox.id`
const selectOpen = inboxOfRun('consumed IS NULL AND inbox.id > $2')
const selectAnswers = inboxOfRun("(decision_id IS NOT NULL OR consumed IS NULL AND kind = 'cancelCall')")
const selectAnswersAbout = inboxOfRun(`(consumed IS NULL AND kind = 'cancelCall' OR decision_id IS NOT NULL AND EXISTS (
  SELECT FROM unnest($2::text[]) AS name WHERE name IN (call_id, suspension_id) OR starts_with(decision_id, name)))`)
const lockRun = `SELECT ${placeColumns}, status, agent FROM @.runs WHERE id = $1 FOR UPDATE`
const selectToken = 'SELECT 1 AS found FROM @.inbox WHERE run = $1 AND token = $2 LIMIT 1'
/** Rows of one inbox in their order. The run's row has the last of them, so that a commit that waited for it knows. */
const insertRows = `
  WITH posted AS (
    INSERT INTO @.inbox (run, kind, decision_id, call_id, suspension_id, body, at, token)
    SELECT $1, row.kind, row.decision_id, row.call_id, row.suspension_id, row.body, row.at, $2
    FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::float8[]) WITH ORDINALITY
      AS row (kind, decision_id, call_id, suspension_id, body, at, place) ORDER BY row.place
    RETURNING id
  ), head AS (
    UPDATE @.runs SET inbox_last = (SELECT max(id) FROM posted), answered_at = least(answered_at, $9::float8) WHERE number = $1
  )
  SELECT id FROM posted ORDER BY id`
/** Notifies the listeners. */
export const notify = 'SELECT pg_notify($1, $2)'

/** A run whose inbox receives a row. */
export interface InboxRun {
  readonly runId: string
  readonly number: number
}

/** Inserts rows that have already been judged, in order, and returns their ids. */
export async function insertPosted(
  sql: Sql,
  { runId, number: run }: InboxRun,
  rows: readonly NewInboxRow[],
  token: string | null = null,
): Promise<readonly number[]> {
  if (rows.length === 0) return []
  await keepFiles(
    sql,
    runId,
    rows.flatMap(({ files = [] }) => files),
  )
  const answers = rows.filter(({ kind }) => changingKinds.has(kind))
  const inserted = await sql(
    insertRows,
    run,
    token,
    rows.map(({ kind }) => kind),
    rows.map(({ decisionId = null }) => decisionId),
    rows.map(({ callId }) => callId),
    rows.map(({ suspensionId = null }) => suspensionId),
    rows.map(({ body }) => body),
    rows.map(({ at }) => at),
    answers.length === 0 ? null : Math.min(...answers.map(({ at }) => at)),
  )
  return inserted.map((row) => number('', row, 'id'))
}

/** The notifications about an inbox to waiting processes. */
export interface InboxNotices {
  readonly channel: string
  readonly sender: string
}

function selectFiltered({ isOpen = false, after, kinds, decisionId }: InboxFilter) {
  const asked: SqlValue[] = []
  const value = (one: SqlValue) => `$${asked.push(one) + 1}`
  const conditions = [
    ...(isOpen ? ['consumed IS NULL'] : []),
    ...(after === undefined ? [] : [`inbox.id > ${value(after)}`]),
    ...(decisionId === undefined ? [] : [`decision_id = ${value(decisionId)}`]),
    ...(kinds === undefined ? [] : [`kind = ANY (${value(kinds)}::text[])`]),
  ]
  return { statement: inboxOfRun(conditions.join(' AND ') || 'true'), asked }
}

/** Returns the part of the store that keeps the items that others send to a run. */
export function createInbox(
  { look, write }: Session,
  { channel, sender }: InboxNotices,
  writeRecords: (sql: Sql, writes: readonly RecordWrite[]) => Promise<void>,
) {
  async function rowsOf(sql: Sql, statement: string, runId: string, ...asked: readonly SqlValue[]) {
    const rows = await sql(statement, runId, ...asked)
    if (rows.length === 0) await statusOf(sql, runId)
    return rows.map((row) => inboxRow(runId, row))
  }

  /** Judges an item under the lock of its run, and stores the rows. After a lost commit, stored rows still count. */
  async function judged<Answer>(
    runId: string,
    judge: (sql: Sql, run: LockedRun) => Promise<Judged<Answer>>,
  ): Promise<{ readonly answer: Answer; readonly hasPosted: boolean }> {
    const token = `${sender} ${crypto.randomUUID()}`
    let answered: Answer | undefined
    return write(async (sql, isRepeat) => {
      const [run] = await sql(lockRun, runId)
      if (run === undefined) throw runUnknown(runId)
      const place = placeOf(runId, run)
      if (isRepeat && answered !== undefined && (await sql(selectToken, place.number, token)).length > 0) {
        return { answer: answered, hasPosted: true }
      }
      const standing = { status: text(runId, run, 'status'), agent: text(runId, run, 'agent'), place }
      const { answer, rows, writes = [] } = await judge(sql, standing)
      answered = answer
      if (rows.length === 0) return { answer, hasPosted: false }
      const ids = await insertPosted(sql, { runId, number: place.number }, rows, token)
      await writeRecords(sql, writes)
      await sql(notify, channel, payloadOf({ sender, row: Math.max(...ids), runId }))
      return { answer, hasPosted: true }
    })
  }

  async function factsOf(sql: Sql, runId: string, place: RunPlace, names?: readonly string[]) {
    const found = await callRows(sql, runId, names, place)
    const calls = found.rows.map((row) => decodeCall(runId, row))
    const about = names && [...names, ...namesOfCalls(calls)]
    const stored = about === undefined ? await sql(selectAnswers, runId) : await sql(selectAnswersAbout, runId, about)
    const rows = stored.map((row) => inboxRow(runId, row))
    return {
      calls,
      decisions: rows.filter((row) => row.decisionId !== null).map((row) => decodeDecision(runId, row)),
      cancelled: rows.flatMap(({ kind, consumed, callId }) =>
        kind === 'cancelCall' && consumed === null ? (callId ?? []) : [],
      ),
    }
  }

  return {
    async decide(
      runId: string,
      items: readonly Decision[],
      occasion: DecisionOccasion,
      given: readonly (DecisionRecord | undefined)[] = [],
    ) {
      const checked: readonly CheckedDecision[] = items.map(checkDecision)
      return judged<readonly DecisionReceipt[]>(runId, async (sql, { agent, place }) => {
        const few = await factsOf(sql, runId, place, namesOf(checked))
        const facts = areKnown(checked, few) ? few : await factsOf(sql, runId, place)
        const { receipts, rows, records } = judgeDecisions(checked, { ...facts, ...occasion }, given)
        const writes = decisionWrites(records, agent, occasion.now)
        return { answer: receipts, rows: rows.map((row) => rowOfDecision(row, stringifyJson)), writes }
      })
    },

    async post(runId: string, item: PostedItem, now: number) {
      const kept = itemApart(item, `The ${item.kind} item`)
      const callId = aboutIn(item)
      const { statement, asked } = selectFiltered({ kinds: [item.kind] })
      return judged<PostReceipt>(runId, async (sql, { status, place }) => {
        const calls = item.kind === 'cancelCall' ? (await callRows(sql, runId, undefined, place)).rows : []
        const sent = item.kind === 'background' ? await sql(statement, runId, ...asked) : []
        const ofKind = sent.map((row) => inboxRow(runId, row))
        const open = await sql(selectOpen, runId, 0)
        const unconsumed: readonly InboxTextRow[] = open.map((row) => inboxRow(runId, row))
        const answer = judgePost(item, {
          runId,
          isDone: status === 'done',
          calls: () => calls.map((row) => decodeCall(runId, row)),
          unconsumed: () => unconsumed,
          ofKind: () => ofKind,
        })
        return { answer, rows: answer.answer === 'applied' ? [{ ...kept, kind: item.kind, callId, at: now }] : [] }
      })
    },

    rows(runId: string, filter: InboxFilter): Promise<readonly InboxRow[]> {
      const { statement, asked } = selectFiltered(filter)
      return look(async (sql) => {
        const found = await rowsOf(sql, statement, runId, ...asked)
        const files = await filesOf(
          sql,
          runId,
          found.map(({ body }) => body),
        )
        return wholeItems(found, files).map((row) => decodeInbox(runId, row))
      })
    },
  }
}

interface LockedRun {
  readonly status: string
  readonly agent: string
  readonly place: RunPlace
}

interface Judged<Answer> {
  readonly answer: Answer
  readonly rows: readonly NewInboxRow[]
  readonly writes?: readonly RecordWrite[]
}
