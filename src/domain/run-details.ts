import { freezeDeep, isRecord, type Json } from './json.ts'
import { textsIn } from './run-origin.ts'

/** What a run was given at its start beside its prompt. The run keeps it for its life, and code gets it frozen. */
export interface RunDetails {
  /** The id of the run. */
  readonly id: string
  /** What the run is about, such as a conversation. Default: the run's id. */
  readonly subject: string
  /** What the application says of who may do what; the engine never reads it. */
  readonly accessControl?: Json
  /** Who handed the work on. */
  readonly delegatedBy?: string
  /** Model calls the run was granted: its limit `max_tool_interactions`. */
  readonly quota?: number
  /** True where each output that leaves over a wire holds the transcript. */
  readonly history?: boolean
  /** Short texts by name; none where the run was started without. */
  readonly labels: { readonly [name: string]: string }
}

/** The details in the stored input of a run. A detail that cannot be read counts as not given. */
export function detailsIn(id: string, input: Json): RunDetails {
  const { subject, accessControl, delegatedBy, quota, history, labels } = isRecord(input) ? input : {}
  return freezeDeep({
    id,
    subject: typeof subject === 'string' ? subject : id,
    ...(accessControl === undefined ? {} : { accessControl }),
    ...(typeof delegatedBy === 'string' ? { delegatedBy } : {}),
    ...(typeof quota === 'number' ? { quota } : {}),
    ...(history === true ? { history } : {}),
    labels: textsIn(labels),
  })
}

/** The details of a run that is stored nowhere. */
export function unstoredDetails(id: string): RunDetails {
  return detailsIn(id, {})
}
