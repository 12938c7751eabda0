import type { DecisionScope } from './decision.ts'
import type { NewGrant } from './grant.ts'
import type { Json } from './text/json.ts'

/**
 * What was done: a call was approved, edited, denied, or given its result; it ran by a grant (`used`); a grant was
 * `revoked`.
 */
export type AuditAction = 'approved' | 'edited' | 'denied' | 'answered' | 'used' | 'revoked'

/** One entry of the list of who decided what. Entries are added and never changed. */
export interface AuditEntry {
  /** Rising within a store. */
  readonly id: number
  /** Unix milliseconds. */
  readonly at: number
  /** Name of the agent. */
  readonly agent: string
  readonly action: AuditAction
  /** Who decided, where they said so. */
  readonly by?: string
  readonly runId: string
  readonly callId: string
  readonly toolName: string
  /** Hash of the arguments that the call was to run with. */
  readonly argumentsHash?: string
  /** Those arguments as plugins leave them (`onToolValue`, kind `question`); absent once the run is deleted. */
  readonly arguments?: Json
  readonly scope?: DecisionScope
  /** The permission rule that asked. */
  readonly rule?: string
  /** The grant that was made, used or revoked. */
  readonly grantId?: string
  readonly decisionId?: string
  readonly reason?: string
}

/** An entry before a store has it. */
export type NewAuditEntry = Omit<AuditEntry, 'id' | 'at' | 'agent'>

/** What is stored with a decision, in the same write. */
export interface DecisionRecord {
  readonly entry: NewAuditEntry
  /** Where the decision counts for more than its call. */
  readonly grant?: NewGrant
}
