import type { AuditEntry, NewAuditEntry } from '../domain/audit-entry.ts'
import type { Grant } from '../domain/grant.ts'

/** Which grants a store gives. A field that is left out excludes none. */
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

/** Which entries of the audit a store gives. A field that is left out excludes none. */
export interface AuditFilter {
  /** Name of the agent. */
  readonly agent?: string
  readonly runId?: string
  /** The id of an entry: gives those before it. */
  readonly before?: number
  /** Newest first; default 100. */
  readonly limit?: number
}

/** What a store keeps of what people have decided. Grants are written by `decide`, and so are entries of the audit. */
export interface GrantStore {
  /**
   * The grants that stand, the newest first: none of scope `once` that is used, and none of a run that is done. Those of a
   * run are deleted with it.
   */
  grants(filter?: GrantFilter): Promise<readonly Grant[]>
  /**
   * Has a call run by a grant, and adds the entry, in one transaction; false where the grant is revoked, or of scope `once`
   * and used by another call. The same call may ask again: the answer is the same, and no second entry is made.
   */
  useGrant(grantId: string, entry: NewAuditEntry, now: number): Promise<boolean>
  /** Takes a grant back, and adds an entry that says so; undefined where no such grant of this agent stands. */
  revoke(grantId: string, revoking: Revoking): Promise<Grant | undefined>
  /** The audit, the newest entry first. Entries outlive their runs, without the arguments. */
  audit(filter?: AuditFilter): Promise<readonly AuditEntry[]>
}

/** Who takes a grant back. */
export interface Revoking {
  /** Name of the agent. Default: the grant of any agent is taken back. */
  readonly agent?: string
  readonly by?: string
  /** Unix milliseconds. */
  readonly at: number
}

/** What is remembered for one run, as the judge of its calls asks for it. */
export interface RunGrants {
  /** The grants that count for a call of this tool. */
  of(toolName: string, callId: string): Promise<readonly Grant[]>
  /** See `GrantStore.useGrant`. */
  use(grantId: string, entry: NewAuditEntry): Promise<boolean>
}
