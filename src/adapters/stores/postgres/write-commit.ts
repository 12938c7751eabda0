import type { RecordWrite } from '../../../core/domain/records/record-change.ts'
import { changingKinds, queuedKinds } from '../../../core/domain/inbox.ts'
import { type EncodedCommit, isRefusing, isResting } from '../../../core/stores/rows/encode-commit.ts'
import { type KeptJson, textOf } from '../../../core/stores/rows/json-text.ts'
import type { InboxTextRow, LogRow } from '../../../core/stores/rows/stored-rows.ts'
import { isUnnamed } from './files.ts'
import { free } from './schema.ts'
import { type AddValue, writeParts } from './record-parts.ts'
import type { Sql, SqlValue } from './session.ts'

/**
 * Writes a commit in one statement, and returns false if nothing was written. The run's row changes first, under all
 * conditions of the commit; everything else depends on that row. The row has the last id of the inbox, because the
 * statement reads a row again after waiting for it, but not the inbox. If rows of the inbox were `judged`, only the
 * lease is checked.
 */
export async function writeCommit(
  sql: Sql,
  commit: EncodedCommit,
  { judged, writes = [] }: CommitParts = {},
): Promise<boolean> {
  const values: SqlValue[] = []
  const value: AddValue = (one, type) => `$${values.push(one)}::${type}`
  const { rows, calls } = slotsOf(commit)
  const parts = [
    runPart(commit, { calls: judged === undefined ? calls : [], isJudged: judged !== undefined, value }),
    ...(rows.length === 0 ? [] : [appendPart(rows, value)]),
    ...(calls.length === 0 ? [] : [callPart(calls, value)]),
    ...inboxParts(commit, judged, value),
    ...(commit.input === undefined ? [] : [inputPart(commit.input, value), unnamedPart]),
    ...writeParts(writes, { from: 'run' }).map((part, place) => `record${place} AS (${part.text(value, null)})`),
  ]
  const written = await sql(`WITH ${parts.join(', ')} SELECT number FROM run`, ...values)
  return written.length > 0
}

interface CommitParts {
  readonly judged?: readonly InboxTextRow[]
  readonly writes?: readonly RecordWrite[]
}

/**
 * Returns the rows to append and to change. A row that a commit appends and changes is appended in its changed form; of
 * two changes the last one counts.
 */
export function slotsOf({ rows, calls }: EncodedCommit): {
  readonly rows: readonly LogRow[]
  readonly calls: readonly LogRow[]
} {
  if (calls.length === 0) return { rows, calls }
  const changed = new Map(calls.map((call) => [call.seq, call]))
  const appended = new Set(rows.map(({ seq }) => seq))
  return {
    rows: rows.map((row) => (row.kind === 'call' ? (changed.get(row.seq) ?? row) : row)),
    calls: [...changed.values()].filter(({ seq }) => !appended.has(seq)),
  }
}

interface RunPart {
  readonly calls: readonly LogRow[]
  readonly isJudged: boolean
  readonly value: AddValue
}

function runPart(commit: EncodedCommit, { calls, isJudged, value }: RunPart): string {
  const { runId, owner, fence, version, status, outcome, document, rows, timers, prompt, release } = commit
  const changes = [
    `version = ${value(version, 'int')}`,
    `status = ${value(status, 'text')}`,
    `document = ${value(document, 'text')}`,
    `updated_at = ${value(changeTime(commit), 'float8')}`,
    ...(rows.length === 0 ? [] : [`written_seq = written_seq + ${value(rows.length, 'int')}`]),
    ...(outcome === undefined
      ? []
      : [
          `reason = ${value(outcome.reason, 'text')}`,
          `code = ${value(outcome.code, 'text')}`,
          `error = ${value(outcome.error, 'text')}`,
        ]),
    ...(timers === undefined ? [] : [`next_due = ${value(earliest(timers), 'float8')}`]),
    ...(prompt === undefined ? [] : [`prompt = ${value(prompt, 'text')}`]),
    ...(commit.consumed.length === 0 ? [] : [`answered_at = ${firstUnanswered(commit, value)}`]),
    ...(release ? [free] : []),
  ]
  const first = rows[0]?.seq
  const conditions = [
    `id = ${value(runId, 'text')}`,
    `owner = ${value(owner, 'text')}`,
    `fence = ${value(fence, 'bigint')}`,
    `version = ${value(version - 1, 'int')}`,
    ...(first === undefined ? [] : [`written_seq = ${value(first - 1, 'int')}`]),
    ...(!isJudged && (isResting(commit) || commit.consumed.length > 0) ? [isInboxSeen] : []),
    ...(!isJudged && isResting(commit) ? [nothingUnseen(commit, value)] : []),
    ...(!isJudged && commit.settled.length > 0 && !isResting(commit) ? [nothingUnanswered] : []),
    ...(isJudged || commit.consumed.length === 0 ? [] : [areThere(commit, value)]),
    ...(calls.length === 0 ? [] : [areSlots(calls, value)]),
  ]
  return `run AS (
    UPDATE @.runs SET ${changes.join(', ')} WHERE ${conditions.join(' AND ')}
    RETURNING number, coalesce(transcript, number) AS transcript, version)`
}

/** Returns the time of a run's change. A checkpoint has its own time. */
export function changeTime({ at, rows }: EncodedCommit): number {
  return Math.max(at, rows.findLast(({ kind }) => kind === 'checkpoint')?.at ?? at)
}

/** Each timer counts once, as the last one of its key says. */
function earliest(timers: NonNullable<EncodedCommit['timers']>): number | null {
  const dues = new Map(timers.map(({ key, due }) => [key, due]))
  return dues.size === 0 ? null : Math.min(...dues.values())
}

const isInboxSeen = 'inbox_last = (SELECT coalesce(max(inbox.id), 0) FROM @.inbox WHERE run = number)'

/** The condition that the run has no unread answer or cancel, and so none for the calls that settle. */
export const nothingUnanswered = 'answered_at IS NULL'

function nothingUnseen(commit: EncodedCommit, value: AddValue): string {
  const kinds = [...changingKinds, ...queuedKinds].filter((kind) =>
    isRefusing({ ...commit, consumed: [] }, { id: 0, kind, callId: null }),
  )
  const consumed = idsOf(commit.consumed)
  return `NOT EXISTS (SELECT FROM @.inbox WHERE run = number AND consumed IS NULL
    AND kind = ANY (${value(kinds, 'text[]')}) AND inbox.id <> ALL (${value(consumed, 'bigint[]')}))`
}

function firstUnanswered({ consumed }: EncodedCommit, value: AddValue): string {
  return `(SELECT min(inbox.at) FROM @.inbox WHERE run = number AND consumed IS NULL
    AND kind = ANY (${value([...changingKinds], 'text[]')}) AND inbox.id <> ALL (${value(idsOf(consumed), 'bigint[]')}))`
}

function areThere({ consumed }: EncodedCommit, value: AddValue): string {
  const ids = value(idsOf(consumed), 'bigint[]')
  return `(SELECT count(*) FROM @.inbox WHERE run = number AND inbox.id = ANY (${ids}) AND consumed IS NULL)
    = ${value(consumed.length, 'int')}`
}

/** Each slot is looked up by its number: a join could read the whole log, by a plan made while that was short. */
function areSlots(calls: readonly LogRow[], value: AddValue): string {
  const seqs = calls.map(({ seq }) => seq)
  const kindAt = (seq: string) =>
    `(SELECT kind FROM @.log WHERE log.transcript = coalesce(runs.transcript, number) AND log.seq = ${seq})`
  const [one, ...others] = seqs
  const areCalls =
    one !== undefined && others.length === 0
      ? `${kindAt(value(one, 'int'))} = 'call'`
      : `'call' = ALL (SELECT ${kindAt('asked')} FROM unnest(${value(seqs, 'int[]')}) AS asked)`
  return `first_seq <= ${value(Math.min(...seqs), 'int')} AND ${areCalls}`
}

function appendPart(rows: readonly LogRow[], value: AddValue): string {
  return `appended AS (
    INSERT INTO @.log (transcript, seq, version, kind, body, document, at, turn, place)
    SELECT run.transcript, row.seq, run.version, row.kind, row.body, row.document, row.at, row.turn, row.place FROM run, ${tableOf(rows, mostListed, value)}
    WHERE row.seq IS NOT NULL)`
}

function callPart(rows: readonly LogRow[], value: AddValue): string {
  return `changed AS (
    UPDATE @.log SET version = run.version, body = row.body, document = row.document, place = row.place
    FROM run, ${tableOf(rows, 1, value)} WHERE log.transcript = run.transcript AND log.seq = row.seq)`
}

/**
 * The maximum number of new rows that are sent value by value: list texts are escaped here and parsed character by
 * character there.
 */
const mostListed = 4
const rowTypes = ['int', 'text', 'text', 'text', 'float8', 'int', 'int'] as const

/** Lists rows as a table of a statement, filled up to `listed` rows, so that connections prepare few statements. */
function tableOf(rows: readonly LogRow[], listed: number, value: AddValue): string {
  const lines: readonly Line[] = rows.map((row) => [
    row.seq,
    row.kind,
    textOf(row.body),
    row.document,
    row.at,
    row.turn,
    row.place,
  ])
  const filled = Array.from({ length: listed }, (_, at) => lines[at] ?? noLine)
  const source =
    lines.length > listed
      ? `unnest(${rowTypes.map((type, at) => value(columnOf(lines, at), `${type}[]`)).join(', ')})`
      : `(VALUES ${filled.map((line) => `(${rowTypes.map((type, at) => value(line[at] ?? null, type)).join(', ')})`).join(', ')})`
  return `${source} AS row (seq, kind, body, document, at, turn, place)`
}

type Line = readonly (string | number | null)[]
const noLine: Line = []

function columnOf(lines: readonly Line[], at: number): Line {
  return lines.map((line) => line[at] ?? null)
}

function inboxParts(
  commit: EncodedCommit,
  judged: readonly InboxTextRow[] | undefined,
  value: AddValue,
): readonly string[] {
  const { consumed, version } = commit
  if (judged === undefined && consumed.length > 0) {
    const ids = value(idsOf(consumed), 'bigint[]')
    return [
      `consumed AS (
        UPDATE @.inbox SET consumed = ${value(version, 'int')} FROM run WHERE inbox.run = run.number AND inbox.id = ANY (${ids}))`,
    ]
  }
  return judged === undefined || judged.length === 0 ? [] : [judgedPart(judged, value)]
}

function judgedPart(judged: readonly InboxTextRow[], value: AddValue): string {
  const columns = [
    value(idsOf(judged), 'bigint[]'),
    value(
      judged.map(({ consumed }) => consumed),
      'int[]',
    ),
    value(
      judged.map(({ suspensionId }) => suspensionId),
      'text[]',
    ),
    value(
      judged.map(({ body }) => textOf(body)),
      'text[]',
    ),
  ]
  return `judged AS (
    UPDATE @.inbox SET consumed = row.consumed, suspension_id = row.suspension_id, body = row.body
    FROM run, unnest(${columns.join(', ')}) AS row (id, consumed, suspension_id, body)
    WHERE inbox.run = run.number AND inbox.id = row.id)`
}

function idsOf(rows: readonly { readonly id: number }[]): readonly number[] {
  return rows.map(({ id }) => id)
}

/** A commit that names files is not made in one statement. */
const unnamedPart = `forgotten AS (
    DELETE FROM @.files USING run WHERE ${isUnnamed('run.number')})`

function inputPart(input: KeptJson, value: AddValue): string {
  return `input AS (UPDATE @.inputs SET body = ${value(textOf(input), 'text')} FROM run WHERE inputs.number = run.number)`
}
