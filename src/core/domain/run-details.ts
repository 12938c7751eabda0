import { freezeDeep, isRecord, type Json, type JsonObject } from './text/json.ts'
import { hasTexts } from './text/shape.ts'
import { textsIn } from './run-origin.ts'

/** What a run was given at its start beside its prompt. The run keeps it for its life, and code gets it frozen. */
export interface RunDetails {
  /** The id of the run. */
  readonly id: string
  /** What the run is about, such as a conversation. Default: the run's id. */
  readonly subject: string
  /** What the application says of who may do what; the engine never reads it. */
  readonly accessControl?: Json
  /** The user whom the run works for; what is granted for always is granted to this user. */
  readonly userId?: string
  /** Who handed the work on. */
  readonly delegatedBy?: string
  /** Model calls the run was granted: its limit `max_tool_interactions`. */
  readonly quota?: number
  /** True where each output that leaves over a wire holds the transcript. */
  readonly history?: boolean
  /** Short texts by name; none where the run was started without. */
  readonly labels: { readonly [name: string]: string }
  /** What the application keeps with the run beside its labels. */
  readonly metadata?: JsonObject
  /** The event that the run was begun for, where it works as a service. */
  readonly served?: ServedRequest
  /** The session that the run belongs to, and how many runs it had begun before. */
  readonly session?: { readonly id: string; readonly index: number }
}

/** What a run has to know of the event that it answers when it is done. */
export interface ServedRequest {
  readonly id: string
  readonly source: string
  /** The type that asks for the service. */
  readonly type: string
  /** The type of the answer. */
  readonly emits: string
  readonly version: string
  /** JSON Schema of what the answer holds; absent where a run was begun before it was kept. */
  readonly schema?: JsonObject
  readonly subject?: string
  readonly domain?: string
}

/** The details in the stored input of a run. A detail that cannot be read counts as not given. */
export function detailsIn(id: string, input: Json): RunDetails {
  const stored = isRecord(input) ? input : {}
  const { subject, userId, accessControl, delegatedBy, quota, history, labels, metadata, session, index, served } =
    stored
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
    ...(typeof session === 'string' ? { session: { id: session, index: typeof index === 'number' ? index : 0 } } : {}),
  })
}

const isServed = hasTexts<ServedRequest>('id', 'source', 'type', 'emits', 'version')

/** The details of a run that is stored nowhere. */
export function unstoredDetails(id: string): RunDetails {
  return detailsIn(id, {})
}
