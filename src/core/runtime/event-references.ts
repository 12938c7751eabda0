import { type CallRecord, isTerminal, toldCall, withArguments } from '../domain/call.ts'
import type { AgentEvent, AgentEventBody, StoredEvent } from '../domain/event.ts'
import { type EventField, eventFields } from '../domain/event-fields.ts'
import { isRecord, type Json, type JsonObject } from '../domain/text/json.ts'
import { heldIn, type LogEntry } from '../domain/log.ts'
import { StoreError } from '../domain/store-error.ts'
import type { Suspension } from '../domain/suspension.ts'

/** Where the log has a message, a result or a state. */
export interface LogPlaces {
  placeOf(held: unknown): number | undefined
}

/** An event as it is stored: without what all events of its run or commit share, and with places for what the log holds. */
export function encodeEvent(event: AgentEventBody, log: LogPlaces): JsonObject {
  const fields = eventFields[event.type] ?? {}
  const told: Readonly<Record<string, unknown>> = { ...event }
  const { message } = told
  const place = log.placeOf(message)
  const stored: Record<string, unknown> = {}
  for (const name in told) {
    const value = told[name]
    const reference = fields[name]
    if (name === 'runId' || name === 'at' || value === undefined) continue
    if (reference === undefined) stored[name] = value
    else if (place === undefined || !isToldBy(reference, { value, name, message, place })) {
      stored[name] = encodeField(reference, value, log)
    }
  }
  return stored as JsonObject
}

interface TellingField {
  readonly name: string
  readonly value: unknown
  readonly message: unknown
  readonly place: number
}

/** True for what is known by the message an event tells of. */
function isToldBy(reference: EventField, { name, value, message, place }: TellingField): boolean {
  if (reference === 'ownPlace') return value === place
  return reference === 'own' && isRecord(message) && value === message[name]
}

function encodeField(reference: EventField, value: unknown, log: LogPlaces): unknown {
  switch (reference) {
    case 'own':
    case 'ownPlace':
      return value
    case 'entry':
      return log.placeOf(value) ?? { value }
    case 'entries':
      return (value as readonly unknown[]).map((item) => log.placeOf(item) ?? { value: item })
    case 'call':
      return encodeCall(value as CallRecord)
    case 'calls':
      return (value as readonly CallRecord[]).map(encodeCall)
  }
}

/** What a later commit may change of a call is stored as it was; its arguments and its result never are. */
interface StoredCall {
  readonly seq: number
  /** Of a call that has not settled: the message that made it. */
  readonly message?: number
  readonly status?: CallRecord['status']
  readonly revision?: number
  readonly editedArguments?: Json
  readonly placeholder?: boolean
  readonly suspension?: Pick<Suspension, 'id' | 'reason'>
}

function encodeCall(call: CallRecord): StoredCall | number {
  const { seq, messageSeq, status, revision, editedArguments, suspension } = call
  const shown = call.placeholder === true ? { placeholder: true } : {}
  if (isTerminal(status)) return call.placeholder === true ? { seq, ...shown } : seq
  return {
    seq,
    message: messageSeq,
    status,
    ...(revision === 0 ? {} : { revision }),
    ...(editedArguments === undefined ? {} : { editedArguments }),
    ...shown,
    ...(suspension === undefined ? {} : { suspension: { id: suspension.id, reason: suspension.reason } }),
  }
}

/** What stored events refer to. */
export interface References {
  /** Places in the log. */
  readonly places: readonly number[]
  readonly calls: readonly { readonly place: number; readonly suspensionId: string }[]
}

function storedCall(item: unknown): StoredCall {
  return typeof item === 'number' ? { seq: item } : (item as StoredCall)
}

/** What has to be read before these events can be. */
export function referencesOf(events: readonly Json[]): References {
  const places: number[] = []
  const calls: { place: number; suspensionId: string }[] = []
  const takeEntry = (item: unknown) => typeof item === 'number' && places.push(item)
  const takeCall = (item: unknown) => {
    const { seq, message, suspension } = storedCall(item)
    places.push(seq, ...(message === undefined ? [] : [message]))
    if (suspension !== undefined) calls.push({ place: seq, suspensionId: suspension.id })
  }
  for (const { value, reference } of events.flatMap(referringFields)) {
    if (reference === 'entry') takeEntry(value)
    else if (reference === 'entries') for (const item of listOf(value)) takeEntry(item)
    else if (reference === 'call' || reference === 'calls')
      for (const item of reference === 'call' ? [value] : listOf(value)) takeCall(item)
  }
  return { places, calls }
}

function referringFields(event: Json): readonly { readonly value: unknown; readonly reference: EventField }[] {
  if (!isRecord(event)) return []
  const fields = eventFields[event['type'] as AgentEvent['type']] ?? {}
  return Object.entries(fields).flatMap(([name, reference]) =>
    event[name] === undefined ? [] : [{ value: event[name], reference }],
  )
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** What stored events are read back with. */
export interface ReadContext {
  readonly runId: string
  /** Of the run. */
  readonly subject: string
  entry(place: number): LogEntry | undefined
  /** A suspension that was written over since. */
  suspension(id: string): Suspension | undefined
}

/** An event as it was told. */
export function decodeEvent(
  stored: Json,
  { at, seq }: { readonly at: number; readonly seq: number },
  context: ReadContext,
): StoredEvent {
  if (!isRecord(stored)) throw damaged(context, 'an event that is none')
  const { type, ...rest } = stored
  const fields = eventFields[type as AgentEvent['type']] ?? {}
  const { runId, subject } = context
  const event: Record<string, unknown> = { type, runId, subject, at, seq }
  for (const [name, value] of Object.entries(rest)) event[name] = decodeField(fields[name], value, context)
  const { message } = event
  for (const [name, reference] of Object.entries(fields)) {
    if (event[name] !== undefined || typeof rest['message'] !== 'number' || !isRecord(message)) continue
    if (reference === 'own') event[name] = message[name]
    if (reference === 'ownPlace') event[name] = rest['message']
  }
  return event as unknown as StoredEvent
}

function decodeField(reference: EventField | undefined, value: unknown, context: ReadContext): unknown {
  switch (reference) {
    case undefined:
    case 'own':
    case 'ownPlace':
      return value
    case 'entry':
      return decodeEntry(value, context)
    case 'entries':
      return listOf(value).map((item) => decodeEntry(item, context))
    case 'call':
      return decodeCall(storedCall(value), context)
    case 'calls':
      return listOf(value).map((item) => decodeCall(storedCall(item), context))
  }
}

function decodeEntry(item: unknown, context: ReadContext): unknown {
  if (isRecord(item)) return item['value']
  const entry = context.entry(Number(item))
  const held = entry && heldIn(entry)
  if (held === undefined) throw damaged(context, `log entry ${String(item)}, which is missing`)
  return held
}

function decodeCall({ seq, message: _, suspension: head, ...then }: StoredCall, context: ReadContext): CallRecord {
  const entry = context.entry(seq)
  if (entry?.kind !== 'call') throw damaged(context, `the call of log entry ${seq}, which is missing`)
  const { placeholder: __, ...record } = toldCall(entry.call)
  if (then.status === undefined) return { ...record, ...then }
  const { result: ___, editedArguments: ____, suspension: last, ...kept } = record
  const suspension = head === undefined || last?.id === head.id ? last : (context.suspension(head.id) ?? head)
  const call: CallRecord = { ...kept, revision: 0, ...then, ...(suspension === undefined ? {} : { suspension }) }
  return withArguments(call, {
    message: (place) => {
      const made = context.entry(place)
      return made?.kind === 'message' ? made.message : undefined
    },
  })
}

function damaged({ runId }: ReadContext, what: string): StoreError {
  const wish = 'Read its transcript and its calls instead, or restore the store from a copy.'
  return new StoreError('run_damaged', `The stored events of run "${runId}" tell of ${what}. ${wish}`)
}
