import type { CallRecord, CallStatus } from '../../domain/call.ts'
import type { EventsEntry, KeptEvents } from '../../domain/kept-events.ts'
import type { InboxItem, InboxRow, StoredDecision } from '../../domain/inbox.ts'
import { isRecord, type Json } from '../../domain/text/json.ts'
import type { ValueName } from '../../domain/log.ts'
import type { ExtensionMessage, Message } from '../../domain/message.ts'
import { type CheckpointName, type RunError, runErrorIn, type RunReason, type RunStatus } from '../../domain/outcome.ts'
import type { RunRecord } from '../../domain/run-record.ts'
import {
  type Fits,
  hasTexts,
  isListOf,
  isMissingOr,
  isNumber,
  isOneOf,
  isShaped,
  isText,
  isTexts,
  isTextsByName,
  isThere,
} from '../../domain/text/shape.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import { type KeptJson, readKept } from './json-text.ts'
import { runDamaged } from './store-errors.ts'
import type { FullRunRow, InboxTextRow, LogRow, LogTail, RunRow } from './stored-rows.ts'

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
    updatedAt: Math.max(row.createdAt, row.updatedAt, checkpointAt),
    version: Math.max(row.version, tail.version),
    ...(isFork ? { forkedFrom: { runId: row.forkedRun, version: row.forkedVersion } } : {}),
    ...(row.session === null ? {} : { session: row.session }),
    ...(row.subject === null ? {} : { subject: row.subject }),
    ...(row.labels === null ? {} : { labels: labelsIn(where, row.labels) }),
    ...(row.prompt === null ? {} : { prompt: row.prompt }),
  }
}

function labelsIn(where: RowName, kept: string): NonNullable<RunRecord['labels']> {
  return shaped(where, parsed(where, kept), isTextsByName, 'one with labels')
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
    throw runDamaged(runId, row, `is not readable JSON (${thrownText(cause)})`, cause)
  }
}

/** A value of its type, once its shape is checked. */
function shaped<Value>(
  { runId, row }: RowName,
  value: unknown,
  fits: (value: unknown) => value is Value,
  what: string,
): Value {
  if (!fits(value)) throw runDamaged(runId, row, `is not ${what}`)
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
export const isStatus = isOneOf<RunStatus>('running', 'waiting', 'done')

const isReason = isOneOf<RunReason>('natural_end', 'plugin_requested', 'stopped', 'cancelled', 'suspended', 'error')

const isCallStatus = isOneOf<CallStatus>('new', 'running', 'suspended', 'resuming', 'succeeded', 'failed', 'cancelled')

const isExtension = isShaped<ExtensionMessage>({ role: isOneOf('extension'), kind: isText, data: isThere })

const isRoleWithContent = isOneOf<Message['role']>('user', 'assistant', 'toolResult')
const isMessageBody = isShaped<MessageBody>({
  message: (value) =>
    isRecord(value) &&
    (value['role'] === 'extension' || (isRoleWithContent(value['role']) && Array.isArray(value['content']))),
})

const isValueBody = isShaped<ValueBody>({ name: isText, value: isThere })

const isKeptEvents = isShaped<KeptEvents>({
  at: isNumber,
  events: isListOf(hasTexts('type')),
  replaced: isMissingOr(Array.isArray),
})

const isCall = isShaped<CallRecord>({
  callId: isText,
  toolCallId: isText,
  toolName: isText,
  status: isCallStatus,
  suspension: isMissingOr(hasTexts('id')),
})

function isCallOf(seq: number): (value: unknown) => value is CallRecord {
  return (value): value is CallRecord => isCall(value) && value.seq === seq
}

const isCheckpoint = isShaped<CheckpointBody>({ at: isNumber, names: isTexts })

const isSaid: Fits = (value) => isRecord(value) && (isText(value['text']) || Array.isArray(value['messages']))
const items: Readonly<Record<string, Fits>> = {
  decision: isShaped({
    decision: hasTexts<StoredDecision>('target', 'decisionId', 'callId', 'action'),
  }),
  cancel: isRecord,
  serviceAnswer: isRecord,
  cancelCall: hasTexts('callId'),
  steer: isSaid,
  followUp: isSaid,
  extension: isShaped({ message: isExtension }),
} satisfies Record<InboxItem['kind'], Fits>

function isItemOf(kind: string): (value: unknown) => value is InboxItem {
  const fits = Object.hasOwn(items, kind) ? items[kind] : undefined
  return (value): value is InboxItem => fits?.(value) === true && isRecord(value) && value['kind'] === kind
}
