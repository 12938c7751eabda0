import { freezeDeep, isRecord, type Json, type JsonObject, textsIn } from './text/json.ts'
import { hasTexts, isTexts } from './text/shape.ts'

/** The data that a run received at its start besides its prompt. It does not change, and code receives it frozen. */
export interface RunDetails {
  /** The id of the run. */
  readonly id: string
  /** The subject of the run, such as a conversation. Default: the run's id. */
  readonly subject: string
  /** The application's data about permissions; the engine never reads it. */
  readonly accessControl?: Json
  /** The user whom the run works for; grants with scope `always` apply to this user. */
  readonly userId?: string
  /** The delegator of the work. */
  readonly delegatedBy?: string
  /** The number of model calls that the run was granted: its limit `max_tool_interactions`. */
  readonly quota?: number
  /** True if each output that leaves over a wire contains the transcript. */
  readonly history?: boolean
  /** Short texts by name; empty without labels. */
  readonly labels: { readonly [name: string]: string }
  /** The application's other data about the run. */
  readonly metadata?: JsonObject
  /** The event that the run was begun for, if it works as a service. */
  readonly served?: ServedRequest
  /** The session of the run, with the number of its earlier runs. */
  readonly session?: { readonly id: string; readonly index: number }
  /** The agents that spoke earlier in the conversation and handed it over. */
  readonly speakers?: readonly string[]
}

/** The facts about a served event that a run needs for its answer. */
export interface ServedRequest {
  readonly id: string
  readonly source: string
  /** The type of the request. */
  readonly type: string
  /** The type of the answer. */
  readonly emits: string
  readonly version: string
  /** JSON Schema of the answer's data; absent in runs from before it was stored. */
  readonly schema?: JsonObject
  readonly subject?: string
  readonly domain?: string
}

/** Returns the details in a run's stored input. An unreadable detail counts as missing. */
export function detailsIn(id: string, input: Json): RunDetails {
  const stored = isRecord(input) ? input : {}
  const { subject, userId, accessControl, delegatedBy, quota, history, labels, metadata } = stored
  const { session, index, served, speakers } = stored
  return freezeDeep({
    id,
    subject: typeof subject === 'string' ? subject : id,
    ...(typeof userId === 'string' ? { userId } : {}),
    ...(accessControl === undefined ? {} : { accessControl }),
    ...(typeof delegatedBy === 'string' ? { delegatedBy } : {}),
    ...(typeof quota === 'number' ? { quota } : {}),
    ...(history === true ? { history } : {}),
    labels: textsIn(labels),
    ...(isRecord(metadata) ? { metadata: metadata } : {}),
    ...(served !== undefined && isServed(served) ? { served } : {}),
    ...(isTexts(speakers) ? { speakers } : {}),
    ...(typeof session === 'string' ? { session: { id: session, index: typeof index === 'number' ? index : 0 } } : {}),
  })
}

const isServed = hasTexts<ServedRequest>('id', 'source', 'type', 'emits', 'version')

/** Returns the details of a run that is not stored. */
export function unstoredDetails(id: string): RunDetails {
  return detailsIn(id, {})
}
