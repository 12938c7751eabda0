import type { NewAuditEntry } from '../domain/audit-entry.ts'
import type { Grant } from '../domain/grant.ts'

/** A filter of grants; a missing field excludes none. */
export interface GrantFilter {
  /** The name of the agent. */
  readonly agent?: string
  readonly toolName?: string
  /** Any of these grantees, in the form of `Grant.grantee`. */
  readonly grantees?: readonly string[]
  /** Grants that were made in this run. */
  readonly runId?: string
  /** Also includes grants of scope `once` that this call has already used. */
  readonly forCall?: { readonly runId: string; readonly callId: string }
}

/** A filter of audit entries; a missing field excludes none. */
export interface AuditFilter {
  /** The name of the agent. */
  readonly agent?: string
  readonly runId?: string
  /** The id of an entry; only earlier entries are returned. */
  readonly before?: number
  /** The maximum number of entries, newest first; default 100. */
  readonly limit?: number
}

/** The grants of one run, for the judge of its calls. */
export interface RunGrants {
  /** Returns the grants that apply to a call of this tool. */
  of(toolName: string, callId: string): Promise<readonly Grant[]>
  /** Uses a grant for a call; returns false if it is gone, or has scope `once` and another call has used it. */
  use(grantId: string, entry: NewAuditEntry): Promise<boolean>
}
