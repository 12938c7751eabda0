import type { CallRecord, CallStatus } from '../../domain/call.ts'
import type { MarkedEvent } from '../../domain/marked-event.ts'
import type { InboxItem, InboxRow, StoredDecision } from '../../domain/inbox.ts'
import { isRecord, type Json } from '../../domain/text/json.ts'
import type { LogEntry, MarkEntry, MessageEntry, ValueEntry, ValueName } from '../../domain/log.ts'
import type { ExtensionMessage, Message, ToolResultMessage } from '../../domain/message.ts'
import { type CheckpointName, type RunError, runErrorIn, type RunReason, type RunStatus } from '../../domain/outcome.ts'
import type { RunRecord } from '../../domain/run-record.ts'
import {
  type Fits,
  hasTexts,
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

/** Returns a run's record; throws `run_damaged` if its row cannot be read. */
export function decodeRecord(row: RunRow, tail: LogTail): RunRecord {
  const where = { runId: row.id, row: 'its run row' }
  const isFork = row.forkedRun !== null && row.forkedVersion !== null
  return {
    id: row.id,
    agent: row.agent,
    ...(row.agentVersion === null ? {} : { agentVersion: row.agentVersion }),
    status: shaped(where, row.status, isStatus, 'of a run status we know'),
    ...(row.reason === null ? {} : { doneReason: shaped(where, row.reason, isReason, 'of a reason we know') }),
    ...(row.code === null ? {} : { code: row.code }),
    ...(row.error === null ? {} : { error: errorIn(where, row.error) }),
    createdAt: row.createdAt,
    updatedAt: Math.max(row.createdAt, row.updatedAt, tail.at ?? 0),
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

/** Returns a run's input. */
export function decodeInput(row: Pick<FullRunRow, 'id' | 'input'>): Json {
  return parsed({ runId: row.id, row: 'its input' }, row.input)
}

/** Returns a message of the log. */
export function decodeMessage(runId: string, row: LogRow): MessageEntry {
  const { seq, body, at, turn, place } = row
  const where = logRow(runId, seq)
  const message = shaped(where, parsed(where, body), isMessage, 'a message')
  return { kind: 'message', seq, message, ...told({ at, turn }), ...(place === null ? {} : { place }) }
}

/** Returns a call's record, with its result if the record or the row has it. */
export function decodeCall(runId: string, { seq, body, place, result = null }: LogRow): CallRecord {
  const where = logRow(runId, seq)
  const call = shaped(where, parsed(where, body), isCallOf(seq), `the call of slot ${seq}`)
  if (place === null) return call
  if (result === null || call.result !== undefined) return { ...call, resultSeq: place }
  const from = logRow(runId, place)
  return { ...call, result: shaped(from, parsed(from, result), isResult, 'the result of a call'), resultSeq: place }
}

/** Returns a state document. */
export function decodeState(runId: string, { seq, body, at }: LogRow): LogEntry {
  return { kind: 'state', seq, state: parsed(logRow(runId, seq), body), ...told({ at, turn: null }) }
}

/** Returns a named value of a run. */
export function decodeValue(runId: string, { seq, body, at, turn }: LogRow): ValueEntry {
  const where = logRow(runId, seq)
  const { name, value } = shaped(where, parsed(where, body), isValueBody, 'a named value')
  return { kind: 'value', seq, name, value, ...told({ at, turn }) }
}

/** Returns a mark, which may be empty. */
export function decodeMark(runId: string, { seq, body, at }: LogRow): MarkEntry {
  const where = logRow(runId, seq)
  const time = shaped(where, at, isNumber, 'a mark with a time')
  const event = parsed(where, body)
  if (event === null) return { kind: 'mark', seq, at: time }
  return { kind: 'mark', seq, at: time, event: shaped(where, event, isMarked, 'a mark with an event') }
}

/** Returns the names and the time of a checkpoint. */
export function decodeCheckpoint(runId: string, { seq, body, at }: LogRow): CheckpointBody {
  const where = logRow(runId, seq)
  return {
    names: shaped(where, parsed(where, body), isNames, 'a checkpoint'),
    at: shaped(where, at, isNumber, 'a checkpoint with a time'),
  }
}

function told({ at, turn }: Pick<LogRow, 'at' | 'turn'>): { readonly at?: number; readonly turn?: number } {
  return { ...(at === null ? {} : { at }), ...(turn === null ? {} : { turn }) }
}

/** Returns an inbox row. The suspension of a decision is in a column of its own, not in the body. */
export function decodeInbox(runId: string, { id, kind, body, suspensionId, at }: InboxTextRow): InboxRow {
  const where = { runId, row: `inbox row ${id}` }
  const item = shaped(where, parsed(where, body), isItemOf(kind), `an item of kind ${kind}`)
  if (item.kind !== 'decision') return { id, at, item }
  return { id, at, item: { kind: 'decision', decision: { ...item.decision, suspensionId } } }
}

/** Returns the decision in an inbox row of that kind. */
export function decodeDecision(runId: string, row: InboxTextRow): StoredDecision {
  const { item } = decodeInbox(runId, row)
  if (item.kind === 'decision') return item.decision
  throw runDamaged(runId, `inbox row ${row.id}`, `is a ${item.kind}, not a decision`)
}

/** Returns the name of a log row for errors. */
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

interface ValueBody {
  readonly name: ValueName
  readonly value: Json
}

interface CheckpointBody {
  readonly names: readonly CheckpointName[]
  readonly at: number
}

const isStatus = isOneOf<RunStatus>('running', 'waiting', 'done')

const isReason = isOneOf<RunReason>('natural_end', 'plugin_requested', 'stopped', 'cancelled', 'suspended', 'error')

const isCallStatus = isOneOf<CallStatus>('new', 'running', 'suspended', 'resuming', 'succeeded', 'failed', 'cancelled')

const isExtension = isShaped<ExtensionMessage>({ role: isOneOf('extension'), kind: isText, data: isThere })

const isRoleWithContent = isOneOf<Message['role']>('user', 'assistant', 'toolResult')
const isMessage = (value: unknown): value is Message =>
  isRecord(value) &&
  (value['role'] === 'extension' || (isRoleWithContent(value['role']) && Array.isArray(value['content'])))
const isResult = (value: unknown): value is ToolResultMessage => isMessage(value) && value.role === 'toolResult'

const isValueBody = isShaped<ValueBody>({ name: isText, value: isThere })

const isMarked = hasTexts<MarkedEvent>('type')

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

const isNames = (value: unknown): value is readonly CheckpointName[] => isTexts(value)

const isSaid = isShaped({ messages: Array.isArray })
const items: Readonly<Record<string, Fits>> = {
  decision: isShaped({
    decision: hasTexts<StoredDecision>('target', 'decisionId', 'callId', 'action'),
  }),
  cancel: isRecord,
  serviceAnswer: isRecord,
  cancelCall: hasTexts('callId'),
  steer: isSaid,
  followUp: isSaid,
  background: isShaped({ childRunId: isText, messages: Array.isArray }),
  extension: isShaped({ message: isExtension }),
} satisfies Record<InboxItem['kind'], Fits>

function isItemOf(kind: string): (value: unknown) => value is InboxItem {
  const fits = Object.hasOwn(items, kind) ? items[kind] : undefined
  return (value): value is InboxItem => fits?.(value) === true && isRecord(value) && value['kind'] === kind
}
