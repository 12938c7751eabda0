import type { RunInput } from '../../../machines/run/run.types.ts'
import type { Json, JsonObject } from '../domain/text/json.ts'
import { detailsIn } from '../domain/run-details.ts'
import type { Continuation } from '../domain/run-origin.ts'
import type { AgentCore } from './agent-core.ts'
import type { PlannedRun } from './create-run.ts'
import type { ReadRun } from './read-original.ts'
import { agentDetails, type StartDetails, storedDetails } from './start-details.ts'

/** What a new run is stored with: its rules, what it is begun with, and what it is given beside that. */
export interface RunToPlan extends RunInput {
  readonly id: string
  readonly given: GivenDetails
  /** What stands in its input beside that. */
  readonly facts?: JsonObject
}

/** What a run is given at its start, as it is stored. */
export interface GivenDetails {
  readonly details: JsonObject
  /** As it was asked for: false is not stored. */
  readonly history: boolean | undefined
}

/** Details as they were given, read once. */
export function givenDetails(details: StartDetails): GivenDetails {
  return { details: storedDetails(details), history: details.history }
}

/** What a run goes on with, and in which way. */
export interface GoingOn {
  readonly original: ReadRun
  readonly continuation: Continuation
}

/**
 * A run as it is stored. Where it goes on from another, it refers to the transcript of that one, and what the other was
 * given counts where nothing else is given. Calls, values and decisions stay with the other.
 */
export function planRun(core: AgentCore, { id, given, facts, ...input }: RunToPlan, from?: GoingOn): PlannedRun {
  const { log = [], lastSeq: seq = 0 } = from?.original ?? {}
  const kept = {
    ...input,
    ...(from === undefined ? ownHistory(core, given) : inherited(from.original, given.history)),
    ...given.details,
    ...(from === undefined ? {} : { parentRunId: from.original.record.id, continuation: from.continuation }),
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

/** What the original was given at its start and a run that goes on keeps; model calls are granted to one run alone. */
function inherited({ record: { id }, input }: ReadRun, history: boolean | undefined): JsonObject {
  const {
    subject,
    userId,
    accessControl,
    delegatedBy,
    labels,
    metadata,
    history: hasHistory = false,
  } = detailsIn(id, input)
  return {
    subject,
    ...(userId === undefined ? {} : { userId }),
    ...(accessControl === undefined ? {} : { accessControl }),
    ...(delegatedBy === undefined ? {} : { delegatedBy }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(hasHistory && history === undefined ? { history: true } : {}),
  }
}
