import { isRecord, type Json, type JsonObject } from './text/json.ts'
import { copyJson } from './text/json-copy.ts'
import { maxArgumentBytes } from './text/json-limits.ts'
import { expecting } from './text/option-shape.ts'
import type { ServedRequest } from './run-details.ts'

/**
 * An event between runs and services: a CloudEvents 1.0 event, identified by `source` and `id`. An answer has the id of
 * the answered event as `parentid`, and the source of that event as `to`.
 */
export interface ServiceEvent {
  readonly specversion: '1.0'
  readonly id: string
  readonly source: string
  readonly type: string
  readonly subject?: string
  /** RFC 3339. */
  readonly time?: string
  readonly datacontenttype?: string
  readonly parentid?: string
  readonly to?: string
  /** The destination of the event. */
  readonly domain?: string
  /** The version of the contract. */
  readonly contractversion?: string
  /** The cost of the work, in the service's own units. */
  readonly executionunits?: number | string
  /** The delegator of the work. */
  readonly delegatedby?: string
  readonly data?: Json
  readonly [extension: string]: Json | undefined
}

/** A suspension's description of the event that leaves with it; the event's id is that of the call. */
export interface SentEvent {
  readonly source: string
  readonly type: string
  readonly subject: string
  /** The destinations; one event is sent to each of them. Without any, it goes to the subscribers of its type. */
  readonly domains: readonly string[]
  /** The type of the event for a cancelled call. */
  readonly cancel?: string
  /** True if the receiver wants the subject in the data. */
  readonly hasParentSubject?: true
  /** Other attributes of the event. */
  readonly attributes: { readonly [name: string]: string | number }
}

/** The field of the data with the sender's subject. */
export const parentSubject = 'parentSubject$$'

/** Returns the type of the event that reports a failure of a service of this type. */
export function errorTypeOf(type: string): string {
  return `sys.${type}.error`
}

/** Returns the source of a run's events. */
export function sourceOf(agent: string, runId: string): string {
  return `/agents/${encodeURIComponent(agent)}/runs/${runId}`
}

/** Returns the run that a source names, or undefined if it names none of ours. */
export function runIn(source: string | undefined): string | undefined {
  return source === undefined ? undefined : /^\/agents\/[^/]*\/runs\/([A-Za-z0-9_.-]{1,200})$/.exec(source)?.[1]
}

/** Returns true if two sources name runs of one agent. A fork has the calls of its original under its own id. */
export function areOfOneAgent(one: string, other: string): boolean {
  return agentOf(one) === agentOf(other)
}

function agentOf(source: string): string {
  return source.slice(0, source.lastIndexOf('/'))
}

/** Returns an amount as an attribute: CloudEvents allows only whole numbers of 32 bits and texts. */
export function unitsOf(amount: number): number | string {
  return Number.isInteger(amount) && Math.abs(amount) < 2 ** 31 ? amount : String(amount)
}

const checkGiven = expecting('an event such as { id, source, type, … }', isRecord)

/**
 * Returns the answer to an event, with an id derived from its source and id. The answer's sender provides the source,
 * the type and the data.
 *
 * @example
 * await broker.publish(answerTo(asked, { source: '/bank', type: 'evt.payment.done', data: { paid: true } }))
 */
export function answerTo(
  asked: ServiceEvent,
  answer: Pick<ServiceEvent, 'source' | 'type'> & Partial<ServiceEvent>,
): ServiceEvent {
  for (const [field, event] of Object.entries({ asked, answer })) checkGiven(event, { field, owner: 'answerTo' })
  const { subject } = asked
  return {
    specversion: '1.0',
    // Includes the source, because the calls of two runs may have the same id.
    id: `${asked.source}#${asked.id}.answer`,
    datacontenttype: 'application/json',
    ...(subject === undefined ? {} : { subject }),
    ...answer,
    parentid: asked.id,
    to: asked.source,
  }
}

/** A parsed event, or the problem with it. */
export type ReadEvent = { readonly event: ServiceEvent } | { readonly problem: string }

const required = ['id', 'source', 'type'] as const
const texts = ['subject', 'parentid', 'to', 'domain', 'contractversion', 'delegatedby', 'time', 'datacontenttype']
const mostCharacters = 2_000
/** Identifying attributes that are stored and displayed, without control characters and lone surrogates. */
const shown: readonly string[] = [...required, 'parentid', 'to']

/** Parses a copy of an event from outside; never throws. */
export function readEvent(given: unknown): ReadEvent {
  const copied = copyJson(given, { mostBytes: maxArgumentBytes })
  if (copied.problem !== undefined) return { problem: `The event ${copied.problem}.` }
  const { value } = copied
  if (!isRecord(value)) return { problem: 'An event is a JSON object with specversion, id, source and type.' }
  if (value['specversion'] !== '1.0')
    return { problem: 'Its "specversion" is not "1.0": it is not a CloudEvents 1.0 event.' }
  for (const name of required) {
    const text = value[name]
    if (typeof text !== 'string' || text === '') return { problem: `Its "${name}" is missing: expected a text.` }
  }
  for (const name of Object.keys(value)) {
    const problem = problemOf(name, value[name])
    if (problem !== undefined) return { problem }
  }
  return { event: value as unknown as ServiceEvent }
}

function problemOf(name: string, value: Json | undefined): string | undefined {
  if (name === 'data') return undefined
  if (!/^[a-z0-9]{1,40}$/.test(name))
    return `Its attribute ${JSON.stringify(name.slice(0, 60))} has another name than a-z and 0-9 make.`
  if (typeof value === 'string' && value.length > mostCharacters)
    return `Its "${name}" has more than ${mostCharacters} characters.`
  if (typeof value === 'string' && shown.includes(name) && /[\p{Cc}\p{Cs}]/u.test(value))
    return `Its "${name}" holds a control character.`
  const isPlain = typeof value === 'string' || typeof value === 'boolean' || Number.isInteger(value)
  if (!isPlain || (texts.includes(name) && typeof value !== 'string'))
    return `Its "${name}" is not a ${texts.includes(name) ? 'text' : 'text, whole number or boolean'}.`
  return value === '' ? `Its "${name}" is empty: leave it out.` : undefined
}

/** Returns the event that asks a service for a call, before the destination is added. */
export function askedEvent(
  id: string,
  { source, type, subject, hasParentSubject, attributes }: SentEvent,
  given: Json,
  at: number,
): ServiceEvent {
  const data = hasParentSubject === true && isRecord(given) ? { ...given, [parentSubject]: subject } : given
  return { ...headOf(id, source, type, at), subject, ...attributes, data }
}

/** Returns the event that notifies a service that a call has ended without its answer. */
export function cancelEvent(
  id: string,
  type: string,
  { source, subject, attributes }: SentEvent,
  at: number,
): ServiceEvent {
  return { ...headOf(`${id}.cancel`, source, type, at), subject, ...attributes, parentid: id }
}

function headOf(id: string, source: string, type: string, at: number) {
  const time = new Date(at).toISOString()
  return { specversion: '1.0' as const, id, source, type, time, datacontenttype: 'application/json' }
}

/** Returns the error text of an event that reports a failed service. */
export function errorTextIn({ type, data }: ServiceEvent): string {
  const said: JsonObject = isRecord(data) ? data : {}
  const text = [said['errorMessage'], said['message'], data].find((one) => typeof one === 'string' && one !== '')
  return typeof text === 'string' ? text.slice(0, 10_000) : `The service answered with ${type}.`
}

/** Returns the answer to the event that a finished run was begun for. */
export function completedEvent(
  served: ServedRequest,
  {
    id,
    source,
    type,
    at,
    attributes,
    data,
  }: Pick<ServiceEvent, 'id' | 'source' | 'type'> & {
    readonly at: number
    readonly attributes: SentEvent['attributes']
    readonly data: Json
  },
): ServiceEvent {
  const { subject, version, domain } = served
  return {
    ...headOf(id, source, type, at),
    ...(subject === undefined ? {} : { subject }),
    parentid: served.id,
    to: served.source,
    contractversion: version,
    ...(domain === undefined ? {} : { domain }),
    ...attributes,
    data,
  }
}
