import type { AuditEntry } from '../domain/audit-entry.ts'
import { rootIdOf } from '../domain/family-link.ts'
import { type Grant, granteeOfFamily, granteesOf } from '../domain/grant.ts'
import { auditKind, grantKind, type Revoking, standingGrant, takeBackGrant } from '../domain/granted.ts'
import type { StoredRecord } from '../domain/records/found-records.ts'
import type { RecordKind } from '../domain/records/record-kind.ts'
import { rowsOf, type RowsRead } from '../domain/records/record-read.ts'
import type { RunDetails } from '../domain/run-details.ts'
import type { AuditFilter, GrantFilter } from '../ports/grants.ts'
import type { Records } from '../ports/records.ts'
import type { Json } from '../domain/text/json.ts'
import { checkRecords } from './check-records.ts'

const pageSize = 500

/**
 * Lists the valid grants, the newest first. Used grants of scope `once` and grants of finished runs are not valid.
 * Grants of a run are deleted with it.
 */
export async function listGrants(store: Records, filter: GrantFilter = {}): Promise<readonly Grant[]> {
  checkRecords(store, 'listGrants')
  const { agent, toolName, grantees, runId, forCall } = filter
  const found: StoredRecord<Grant>[] = []
  for await (const row of pagesOf(store, grantKind, grantReads(filter))) found.push(row)
  return found
    .toSorted((one, other) => other.number - one.number)
    .flatMap((row) => standingGrant(row, forCall) ?? [])
    .filter((grant) => {
      const isWanted = (wanted: string | undefined, is: string) => wanted === undefined || wanted === is
      if (!isWanted(agent, grant.agent) || !isWanted(toolName, grant.toolName)) return false
      return isWanted(runId, grant.runId) && (grantees === undefined || grantees.includes(grant.grantee))
    })
}

/** A call whose questions grants may answer. */
interface GrantedCall {
  readonly agent: string
  /** The agents above, whose rules may ask too. */
  readonly above: readonly string[]
  readonly run: RunDetails
  /** The stored input of the run, which names its family. */
  readonly input: Json | undefined
  readonly toolName: string
  readonly callId: string
}

/** Lists the grants that may answer the questions about a call: those for its agent's runs and those for its family. */
export async function grantsOfCall(store: Records, call: GrantedCall): Promise<readonly Grant[]> {
  const { agent, above, run, toolName, callId } = call
  const ofFamily = granteeOfFamily(rootIdOf(run.id, call.input))
  const forCall = { runId: run.id, callId }
  const own = await listGrants(store, { agent, toolName, grantees: [...granteesOf(run), ofFamily], forCall })
  const shared = above.map((asker) => listGrants(store, { agent: asker, toolName, grantees: [ofFamily] }))
  return [...own, ...(await Promise.all(shared)).flat()]
}

/**
 * Lists the audit of an agent, of a run or of all runs, the newest entry first. Entries outlive their runs, without the
 * arguments.
 */
export async function listAudit(store: Records, filter: AuditFilter = {}): Promise<readonly AuditEntry[]> {
  checkRecords(store, 'listAudit')
  const { agent, runId, before, limit = 100 } = filter
  const entries: AuditEntry[] = []
  if (limit <= 0) return entries
  const page = { limit: pageSize, ...(before === undefined ? {} : { behind: [before] }) }
  for await (const { number, body } of pagesOf(store, auditKind, [auditRead(filter, page)])) {
    if ((agent ?? body.agent) !== body.agent || (runId ?? body.runId) !== body.runId) continue
    entries.push({ ...body, id: number })
    if (entries.length === limit) return entries
  }
  return entries
}

/**
 * Revokes a grant; returns undefined if no valid grant has the id. Calls that the grant has allowed continue, and the
 * audit names the person who revoked it.
 */
export async function revokeGrant(store: Records, grantId: string, revoking: Revoking): Promise<Grant | undefined> {
  checkRecords(store, 'revokeGrant')
  return await store.change(takeBackGrant(grantId, revoking))
}

/** Returns the reads of the narrowest index that a filter allows. */
function grantReads({ agent, toolName, grantees, runId }: GrantFilter): readonly RowsRead[] {
  const page = { limit: pageSize }
  if (agent !== undefined && toolName !== undefined && grantees !== undefined) {
    const wanted = [...new Set(grantees)]
    return wanted.map((grantee) => rowsOf(grantKind, { index: 'tool', values: [agent, toolName, grantee], ...page }))
  }
  if (runId !== undefined) return [rowsOf(grantKind, { index: 'run', values: [runId], ...page })]
  if (agent !== undefined) return [rowsOf(grantKind, { index: 'agent', values: [agent], ...page })]
  return [rowsOf(grantKind, { values: [], ...page })]
}

function auditRead(
  { agent, runId }: AuditFilter,
  page: { readonly limit: number; readonly behind?: readonly number[] },
): RowsRead {
  if (runId !== undefined) return rowsOf(auditKind, { index: 'run', values: [runId], ...page })
  if (agent !== undefined) return rowsOf(auditKind, { index: 'agent', values: [agent], ...page })
  return rowsOf(auditKind, { values: [], ...page })
}

async function* pagesOf<Body>(
  store: Records,
  kind: RecordKind<Body>,
  reads: readonly RowsRead[],
): AsyncGenerator<StoredRecord<Body>, undefined> {
  for (let pages = reads; pages.length > 0;) {
    const found = await store.records(pages)
    for (const page of pages) yield* found.rows(kind, page)
    pages = pages.flatMap((page) => found.nextPage(page) ?? [])
  }
}
