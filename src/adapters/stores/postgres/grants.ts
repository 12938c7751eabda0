import type { AuditEntry, DecisionRecord, NewAuditEntry } from '../../../core/domain/audit-entry.ts'
import type { Grant } from '../../../core/domain/grant.ts'
import type { AuditFilter, GrantFilter, GrantStore, Revoking } from '../../../core/ports/grants.ts'
import { number, optionalText, type SqlRow, text } from '../../../core/stores/rows/columns.ts'
import {
  callOfUse,
  entriesIn,
  entryTexts,
  grantsIn,
  grantText,
  revocationOf,
  useOf,
  type Written,
} from '../../../core/stores/rows/grant-rows.ts'
import type { Session, Sql } from './session.ts'

const insertGrant = `
  INSERT INTO @.grants (id, agent, tool, grantee, scope, run_id, at, body)
  SELECT $1, agent, $2, $3, $4, id, $5, $6 FROM @.runs WHERE number = $7
  ON CONFLICT (id) DO UPDATE SET scope = $4, grantee = $3, at = $5, body = $6`
const insertOfRun = `
  INSERT INTO @.audit (agent, run_id, at, body, arguments)
  SELECT agent, id, $1, $2, $3 FROM @.runs WHERE number = $4`
const insertEntry = `
  INSERT INTO @.audit (agent, run_id, at, use, body, arguments) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`
const lockGrant = 'SELECT agent, scope, used_by FROM @.grants WHERE id = $1 FOR UPDATE'
const useUp = 'UPDATE @.grants SET used_by = $2 WHERE id = $1'
const deleteGrant = 'DELETE FROM @.grants WHERE id = $1'
const selectGrants = `
  SELECT body, agent, at FROM @.grants
  WHERE ($1::text IS NULL OR agent = $1) AND ($2::text IS NULL OR tool = $2) AND ($3::text IS NULL OR run_id = $3)
    AND ($4::text[] IS NULL OR grantee = ANY ($4)) AND (used_by IS NULL OR used_by = $5::text)
    AND (grantee <> 'run:' || run_id OR EXISTS (SELECT FROM @.runs WHERE runs.id = run_id AND status <> 'done'))
    AND ($6::text IS NULL OR id = $6)
  ORDER BY number DESC`
const selectAudit = `
  SELECT number, agent, at, body, arguments FROM @.audit
  WHERE ($1::bigint IS NULL OR number < $1) AND ($2::text IS NULL OR agent = $2) AND ($3::text IS NULL OR run_id = $3)
  ORDER BY number DESC LIMIT $4`
/** Takes away what is kept of a run with it. */
const forget = `
  WITH forgotten AS (
    DELETE FROM @.grants WHERE run_id = $1::text AND (grantee = 'run:' || $1::text OR used_by IS NOT NULL))
  UPDATE @.audit SET arguments = NULL WHERE run_id = $1::text AND arguments IS NOT NULL`

/** The methods of the store that keep what people have decided. */
export function createGrants({ look, write }: Session): Required<GrantStore> {
  return {
    grants: (filter = {}) => look((sql) => standing(sql, filter)),

    useGrant: (grantId, entry, now) =>
      write(async (sql) => {
        const [row] = await sql(lockGrant, grantId)
        if (row === undefined) return false
        const call = callOfUse(entry)
        if ((optionalText('', row, 'used_by') ?? call) !== call) return false
        if (text('', row, 'scope') === 'once') await sql(useUp, grantId, call)
        await add(sql, entry, { agent: text('', row, 'agent'), at: now }, useOf(grantId, entry))
        return true
      }),

    revoke: (grantId, revoking) => {
      let revoked: Grant | undefined
      return write(async (sql, isRepeat) => {
        if (isRepeat && revoked !== undefined && (await sql(lockGrant, grantId)).length === 0) return revoked
        return (revoked = await revoke(sql, grantId, revoking))
      })
    },

    audit: (filter = {}) => look((sql) => entriesOf(sql, filter)),
  }
}

/** Stores what comes with decisions, in the transaction that stores them. */
export async function writeRecords(
  sql: Sql,
  run: number,
  records: readonly DecisionRecord[],
  at: number,
): Promise<void> {
  for (const { entry, grant } of records) {
    if (grant !== undefined) {
      const { id, toolName, grantee, scope } = grant
      await sql(insertGrant, id, toolName, grantee, scope, at, grantText(grant), run)
    }
    const { body, given } = entryTexts(entry)
    await sql(insertOfRun, at, body, given, run)
  }
}

/** Takes what is kept of a run away with it. */
export async function forgetGrants(sql: Sql, runId: string): Promise<void> {
  await sql(forget, runId)
}

async function standing(
  sql: Sql,
  { agent, toolName, grantees, runId, forCall }: GrantFilter,
  id?: string,
): Promise<readonly Grant[]> {
  const call = forCall === undefined ? null : callOfUse(forCall)
  const asked = [agent ?? null, toolName ?? null, runId ?? null, grantees ?? null, call, id ?? null]
  const rows = await sql(selectGrants, ...asked)
  return grantsIn(rows.map((row) => ({ ...writtenIn(row), body: text('', row, 'body') })))
}

async function revoke(sql: Sql, grantId: string, { agent, by, at }: Revoking): Promise<Grant | undefined> {
  await sql(lockGrant, grantId)
  const [grant] = await standing(sql, agent === undefined ? {} : { agent }, grantId)
  if (grant === undefined) return undefined
  await sql(deleteGrant, grantId)
  await add(sql, revocationOf(grant, by), { agent: grant.agent, at })
  return grant
}

async function entriesOf(sql: Sql, { agent, runId, before, limit = 100 }: AuditFilter): Promise<readonly AuditEntry[]> {
  const rows = await sql(selectAudit, before ?? null, agent ?? null, runId ?? null, limit)
  return entriesIn(
    rows.map((row) => ({
      ...writtenIn(row),
      id: number('', row, 'number'),
      body: text('', row, 'body'),
      arguments: optionalText('', row, 'arguments'),
    })),
  )
}

async function add(sql: Sql, entry: NewAuditEntry, { agent, at }: Written, use: string | null = null): Promise<void> {
  const { body, given } = entryTexts(entry)
  await sql(insertEntry, agent, entry.runId, at, use, body, given)
}

function writtenIn(row: SqlRow): Written {
  return { agent: text('', row, 'agent'), at: number('', row, 'at') }
}
