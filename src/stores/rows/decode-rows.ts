import type { CallRecord, CallStatus } from '../../domain/call.ts'
import type { EventsEntry, KeptEvents } from '../../domain/kept-events.ts'
import type { InboxItem, InboxRow, StoredDecision } from '../../domain/inbox.ts'
import { isRecord, type Json } from '../../domain/json.ts'
import type { ValueName } from '../../domain/log.ts'
import type { Message } from '../../domain/message.ts'
import { type CheckpointName, type RunError, runErrorIn, type RunReason, type RunStatus } from '../../domain/outcome.ts'
import type { RunRecord } from '../../domain/run-record.ts'
import { type KeptJson, messageOf, readKept } from './json-text.ts'
import { runDamaged } from './store-errors.ts'
import type { FullRunRow, InboxTextRow, LogRow, LogTail, RunRow } from './stored-rows.ts'

const statuses: ReadonlySet<string> = new Set<RunStatus>(['running', 'waiting', 'done'])
const reasons: ReadonlySet<string> = new Set<RunReason>([
  'natural_end',
  'plugin_requested',
  'stopped',
  'cancelled',
  'suspended',
  'error',
])
const callStatuses: ReadonlySet<string> = new Set<CallStatus>([
  'new',
  'running',
  'suspended',
  'resuming',
  'succeeded',
  'failed',
  'cancelled',
])
const roles: ReadonlySet<string> = new Set<Message['role']>(['user', 'assistant', 'toolResult', 'extension'])

/** A run's record; `run_damaged` where its row or its last checkpoint cannot be read. */
export function decodeRecord(row: RunRow, tail: LogTail): RunRecord {
  const where = { runId: row.id, row: 'its run row' }
  const checkpointAt =
    tail.checkpoint === null ? 0 : decodeCheckpoint(row.id, 'its last checkpoint', tail.checkpoint).at
  const isFork = row.forkedRun !== null && row.forkedVersion !== null
  return {
    id: row.id,
    agent: row.agent,
    status: shaped(where, row.status, isStatus, 'of a run status we know'),
    ...(row.reason === null ? {} : { doneReason: shaped(where, row.reason, isReason, 'of a reason we know') }),
    ...(row.code === null ? {} : { code: row.code }),
    ...(row.error === null ? {} : { error: errorIn(where, row.error) }),
    createdAt: row.createdAt,
    updatedAt: Math.max(row.updatedAt, checkpointAt),
    version: Math.max(row.version, tail.version),
    ...(isFork ? { forkedFrom: { runId: row.forkedRun, version: row.forkedVersion } } : {}),
    ...(row.session === null ? {} : { session: row.session }),
    ...(row.subject === null ? {} : { subject: row.subject }),
    ...(row.labels === null ? {} : { labels: labelsIn(where, row.labels) }),
    ...(row.prompt === null ? {} : { prompt: row.prompt }),
  }
}

function labelsIn(where: RowName, kept: string): NonNullable<RunRecord['labels']> {
  return shaped(where, parsed(where, kept), isLabels, 'one with labels')
}

function isLabels(value: unknown): value is NonNullable<RunRecord['labels']> {
  return isRecord(value) && Object.values(value).every((text) => typeof text === 'string')
}

/** A run's input. */
export function decodeInput(row: Pick<FullRunRow, 'id' | 'input'>): Json {
  return parsed({ runId: row.id, row: 'its input' }, row.input)
}

/** A message as the log keeps it. */
export function decodeMessage(runId: string, { seq, body }: LogRow): MessageBody {
  const where = logRow(runId, seq)
  return shaped(where, parsed(where, body), isMessageBody, 'a message')
}

/** A call's record. */
export function decodeCall(runId: string, { seq, body }: LogRow): CallRecord {
  const where = logRow(runId, seq)
  return shaped(where, parsed(where, body), isCallOf(seq), `the call of slot ${seq}`)
}

/** A state document. */
export function decodeState(runId: string, { seq, body }: LogRow): Json {
  return parsed(logRow(runId, seq), body)
}

/** What a run knows by a name. */
export function decodeValue(runId: string, { seq, body }: LogRow): ValueBody {
  const where = logRow(runId, seq)
  return shaped(where, parsed(where, body), isValueBody, 'a named value')
}

/** The events of one commit. */
export function decodeEvents(runId: string, { seq, body, document }: LogRow): EventsEntry {
  const where = logRow(runId, seq)
  const kept = shaped(where, parsed(where, body), isKeptEvents, 'a list of events')
  const last = Number(document)
  if (Number.isSafeInteger(last) && last >= kept.events.length) return { kind: 'events', seq, last, kept }
  throw runDamaged(runId, where.row, 'does not say the number of its last event')
}

/** What a checkpoint is called and when it was written; `row` names it in an error. */
export function decodeCheckpoint(runId: string, row: string, body: KeptJson): CheckpointBody {
  return shaped({ runId, row }, parsed({ runId, row }, body), isCheckpoint, 'a checkpoint')
}

/** An inbox row; the suspension a decision answers stands in its column, not in its body. */
export function decodeInbox(runId: string, { id, kind, body, suspensionId, at }: InboxTextRow): InboxRow {
  const where = { runId, row: `inbox row ${id}` }
  const item = shaped(where, parsed(where, body), isItemOf(kind), `an item of kind ${kind}`)
  if (item.kind !== 'decision') return { id, at, item }
  return { id, at, item: { kind: 'decision', decision: { ...item.decision, suspensionId } } }
}

/** The decision of an inbox row of that kind. */
export function decodeDecision(runId: string, row: InboxTextRow): StoredDecision {
  const { item } = decodeInbox(runId, row)
  if (item.kind === 'decision') return item.decision
  throw runDamaged(runId, `inbox row ${row.id}`, `is a ${item.kind}, not a decision`)
}

/** Names a log row in an error. */
export function logRow(runId: string, seq: number): RowName {
  return { runId, row: `log row ${seq}` }
}

interface RowName {
  readonly runId: string
  readonly row: string
}

function parsed({ runId, row }: RowName, kept: KeptJson): Json {
  try {
    return readKept(kept)
  } catch (cause) {
    throw runDamaged(runId, row, `is not readable JSON (${messageOf(cause)})`, cause)
  }
}

/** A value of its type, once its shape is checked. */
function shaped<Value>(
  { runId, row }: RowName,
  value: unknown,
  isShaped: (value: unknown) => value is Value,
  what: string,
): Value {
  if (!isShaped(value)) throw runDamaged(runId, row, `is not ${what}`)
  return value
}

function errorIn(where: RowName, kept: string): RunError {
  const error = runErrorIn(parsed(where, kept))
  if (error === undefined) throw runDamaged(where.runId, where.row, 'is not one with an error')
  return error
}

interface MessageBody {
  readonly message: Message
  readonly replaces?: number
}

interface ValueBody {
  readonly name: ValueName
  readonly value: Json
}

interface CheckpointBody {
  readonly names: readonly CheckpointName[]
  readonly at: number
}

/** True for a status a run can have. */
export function isStatus(value: unknown): value is RunStatus {
  return typeof value === 'string' && statuses.has(value)
}

function isReason(value: unknown): value is RunReason {
  return typeof value === 'string' && reasons.has(value)
}

function isCallStatus(value: unknown): value is CallStatus {
  return typeof value === 'string' && callStatuses.has(value)
}

function isMessageBody(value: unknown): value is MessageBody {
  if (!isRecord(value) || !isRecord(value['message'])) return false
  const { role, content } = value['message']
  return typeof role === 'string' && roles.has(role) && (role === 'extension' || Array.isArray(content))
}

function isValueBody(value: unknown): value is ValueBody {
  return isRecord(value) && typeof value['name'] === 'string' && value['value'] !== undefined
}

function isKeptEvents(value: unknown): value is KeptEvents {
  return (
    isRecord(value) &&
    typeof value['at'] === 'number' &&
    Array.isArray(value['events']) &&
    value['events'].every((event) => isRecord(event) && typeof event['type'] === 'string') &&
    (value['replaced'] === undefined || Array.isArray(value['replaced']))
  )
}

function isCallOf(seq: number): (value: unknown) => value is CallRecord {
  return (value): value is CallRecord =>
    isRecord(value) &&
    value['seq'] === seq &&
    typeof value['callId'] === 'string' &&
    typeof value['toolCallId'] === 'string' &&
    typeof value['toolName'] === 'string' &&
    isCallStatus(value['status']) &&
    (value['suspension'] === undefined ||
      (isRecord(value['suspension']) && typeof value['suspension']['id'] === 'string'))
}

function isCheckpoint(value: unknown): value is CheckpointBody {
  return (
    isRecord(value) &&
    typeof value['at'] === 'number' &&
    Array.isArray(value['names']) &&
    value['names'].every((name) => typeof name === 'string')
  )
}

function isItemOf(kind: string): (value: unknown) => value is InboxItem {
  return (value): value is InboxItem => {
    if (!isRecord(value) || value['kind'] !== kind) return false
    switch (kind) {
      case 'decision':
        return isDecision(value['decision'])
      case 'cancel':
      case 'serviceAnswer':
        return true
      case 'cancelCall':
        return typeof value['callId'] === 'string'
      case 'steer':
      case 'followUp':
        return typeof value['text'] === 'string' || Array.isArray(value['messages'])
      case 'extension':
        return isExtension(value['message'])
      default:
        return false
    }
  }
}

function isExtension(message: unknown): boolean {
  return (
    isRecord(message) && message['role'] === 'extension' && typeof message['kind'] === 'string' && 'data' in message
  )
}

function isDecision(value: unknown): boolean {
  return isRecord(value) && ['target', 'decisionId', 'callId', 'action'].every((key) => typeof value[key] === 'string')
}
