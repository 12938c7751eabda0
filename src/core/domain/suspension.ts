import type { DecisionScope } from './decision-scope.ts'
import type { Json, JsonObject } from './text/json.ts'
import type { SentEvent } from './service-event.ts'

/**
 * Why a call is suspended. `interrupted` means that its process died while it may have been running.
 * `model_unavailable` is the run's own wait for somebody who has its model asked again.
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

/** What a decision answers. Every suspension has a fresh id, also when a call is suspended again. */
export interface Suspension {
  readonly id: string
  readonly reason: SuspensionReason
  readonly message?: string
  readonly parameters?: Json
  /** What the call would do, as its tool previews it; a text in brackets says why there is none. */
  readonly preview?: Json
  /** Of an interrupted call: the names of its finished steps, which are not repeated when it runs again. */
  readonly steps?: readonly string[]
  /** JSON Schema of the value asked for. */
  readonly responseSchema?: JsonObject
  /** Unix milliseconds; on expiry the call is cancelled. */
  readonly expiresAt?: number
  /** Where a question stands before a tool runs: hash of the tool's definition then. An approval counts for this definition. */
  readonly definition?: string
  /** The permission rule that asks. */
  readonly rule?: string
  /** The scopes that an answer may have, if they are fewer than the run and its tool allow. */
  readonly scopes?: readonly DecisionScope[]
  /** The event that leaves for whoever is to answer. */
  readonly sends?: SentEvent
}

/**
 * What a tool or plugin hands in to suspend; the engine gives the id. A suspension with `Infinity` as its expiry never
 * expires.
 */
export type SuspensionTicket = Partial<Omit<Suspension, 'id' | 'steps' | 'definition' | 'rule' | 'scopes' | 'sends'>>
