import type { NewAuditEntry } from '../domain/audit-entry.ts'
import type { Grant } from '../domain/grant.ts'

/** Which grants are listed. A field that is left out excludes none. */
export interface GrantFilter {
  /** Name of the agent. */
  readonly agent?: string
  readonly toolName?: string
  /** For whom, as `Grant.grantee` says it: those of any of these. */
  readonly grantees?: readonly string[]
  /** Those that were made in this run. */
  readonly runId?: string
  /** Gives also those of scope `once` that this call has used already. */
  readonly forCall?: { readonly runId: string; readonly callId: string }
}

/** Which entries of the audit are listed. A field that is left out excludes none. */
export interface AuditFilter {
  /** Name of the agent. */
  readonly agent?: string
  readonly runId?: string
  /** The id of an entry: gives those before it. */
  readonly before?: number
  /** Newest first; default 100. */
  readonly limit?: number
}

/** What is remembered for one run, as the judge of its calls asks for it. */
export interface RunGrants {
  /** The grants that count for a call of this tool. */
  of(toolName: string, callId: string): Promise<readonly Grant[]>
  /** Has a call run by a grant; false if the grant is gone, or of scope `once` and used by another call. */
  use(grantId: string, entry: NewAuditEntry): Promise<boolean>
}
