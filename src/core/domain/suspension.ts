import type { DecisionScope } from './decision-scope.ts'
import type { Json, JsonObject } from './text/json.ts'
import type { SentEvent } from './service-event.ts'

/**
 * The reason of a suspension. `interrupted`: the process died while the call may have been running.
 * `model_unavailable`: the run itself waits until somebody has its model asked again. `limit`: the run itself waits until
 * somebody adds to the account of its family.
 */
export type SuspensionReason =
  | 'approval'
  | 'input'
  | 'interrupted'
  | 'service'
  | 'permission'
  | 'subAgent'
  | 'plugin'
  | 'model_unavailable'
  | 'limit'

/** The question that a decision answers. Every suspension has a new id, even if the same call is suspended again. */
export interface Suspension {
  readonly id: string
  readonly reason: SuspensionReason
  readonly message?: string
  readonly parameters?: Json
  /** The tool's preview of the call's effect; a text in brackets explains a missing preview. */
  readonly preview?: Json
  /** For an interrupted call: the names of its finished steps, which are not repeated when it runs again. */
  readonly steps?: readonly string[]
  /** JSON Schema of the requested value. */
  readonly responseSchema?: JsonObject
  /** Unix milliseconds; on expiry the call is cancelled. */
  readonly expiresAt?: number
  /** For a question before a tool runs: hash of the tool's definition, to which an approval applies. */
  readonly definition?: string
  /** The permission rule that asks. */
  readonly rule?: string
  /** The agent whose rule asks, if it is an agent above the one that calls. */
  readonly asker?: string
  /** The allowed scopes of an answer. Default: those that a run without a family allows. */
  readonly scopes?: readonly DecisionScope[]
  /** The event that is sent to the service that will answer. */
  readonly sends?: SentEvent
}

/** The suspension data from a tool or a plugin; the engine adds the id. With the expiry `Infinity` it never expires. */
export type SuspensionTicket = Partial<
  Omit<Suspension, 'id' | 'steps' | 'definition' | 'rule' | 'asker' | 'scopes' | 'sends'>
>
