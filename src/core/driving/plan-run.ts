import type { RunInput } from '../../../machines/run/run.types.ts'
import { defined, type Json, type JsonObject } from '../domain/text/json.ts'
import { detailsIn } from '../domain/run-details.ts'
import type { Continuation } from '../domain/continuation.ts'
import type { AgentCore } from './agent-core.ts'
import type { PlannedRun } from './create-run.ts'
import type { ReadRun } from './read-original.ts'
import { agentDetails, type StartDetails, storedDetails } from './start-details.ts'

/** The rules, the input and the details of a new run. */
export interface RunToPlan extends RunInput {
  readonly id: string
  readonly given: GivenDetails
  /** Further fields of its input. */
  readonly facts?: JsonObject
}

/** The details of a new run, as stored. */
export interface GivenDetails {
  readonly details: JsonObject
  /** False is not stored. */
  readonly history: boolean | undefined
}

/** Returns the given details, read once. */
export function givenDetails(details: StartDetails): GivenDetails {
  return { details: storedDetails(details), history: details.history }
}

/** The continued run, and the kind of continuation. */
export interface GoingOn {
  readonly original: ReadRun
  readonly continuation: Continuation
  /** Further fields of its input. */
  readonly facts?: JsonObject
}

/**
 * Returns a run in its stored form. A run that continues another refers to that run's transcript and inherits its
 * options. Calls, values and decisions stay with the earlier run.
 */
export function planRun(core: AgentCore, { id, given, facts, ...input }: RunToPlan, from?: GoingOn): PlannedRun {
  const { log = [], lastSeq: seq = 0 } = from?.original ?? {}
  const kept = {
    ...input,
    ...(from === undefined ? ownHistory(core, given) : inherited(from.original, given.history)),
    ...given.details,
    ...(from === undefined ? {} : { parentRunId: from.original.record.id, continuation: from.continuation }),
    ...from?.facts,
    ...facts,
    ...(log.length === 0 ? {} : { carried: seq }),
    ...agentDetails(core),
  }
  const planned = { id, input: kept as unknown as Json }
  if (from === undefined || log.length === 0) return planned
  return { ...planned, begun: { continues: { runId: from.original.record.id, seq }, log } }
}

function ownHistory({ history }: AgentCore, given: GivenDetails): JsonObject {
  return (given.history ?? history) ? { history: true } : {}
}

/** Returns the details that a continuing run keeps; a quota of model calls is for one run alone. */
function inherited({ record: { id }, input }: ReadRun, history: boolean | undefined): JsonObject {
  const {
    subject,
    userId,
    accessControl,
    delegatedBy,
    speakers,
    labels,
    metadata,
    history: hasHistory = false,
  } = detailsIn(id, input)
  return {
    subject,
    ...defined({ userId, accessControl, delegatedBy, speakers: speakers && [...speakers] }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(hasHistory && history === undefined ? { history: true } : {}),
  }
}
