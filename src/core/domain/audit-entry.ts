import type { Decision } from './decision.ts'
import type { NewGrant } from './grant.ts'
import type { Json } from './text/json.ts'

/** The recorded action. `answered`: the call was given a result; `used`: it ran by a grant; `revoked`: of a grant. */
export type AuditAction = 'approved' | 'edited' | 'denied' | 'answered' | 'used' | 'revoked'

/** One entry of the audit, which lists decisions and their authors. Entries are added and never changed. */
export interface AuditEntry extends Pick<Decision, 'by' | 'scope' | 'decisionId' | 'reason'> {
  /** The number of the entry, rising within a store. */
  readonly id: number
  /** Unix milliseconds. */
  readonly at: number
  /** The agent's name. */
  readonly agent: string
  readonly action: AuditAction
  readonly runId: string
  readonly callId: string
  readonly toolName: string
  /** Hash of the arguments of the call. */
  readonly argumentsHash?: string
  /** Those arguments as plugins return them (`onToolValue`, kind `question`); absent after the run is deleted. */
  readonly arguments?: Json
  /** The permission rule that asked. */
  readonly rule?: string
  /** The grant that was made, used or revoked. */
  readonly grantId?: string
}

/** An entry before it is stored. */
export type NewAuditEntry = Omit<AuditEntry, 'id' | 'at' | 'agent'>

/** The audit entry and the grant that are stored with a decision, in the same write. */
export interface DecisionRecord {
  readonly entry: NewAuditEntry
  /** Present if the decision applies to more than its call. */
  readonly grant?: NewGrant
}
