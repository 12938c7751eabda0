import type { AuditEntry, DecisionRecord, NewAuditEntry } from '../../domain/audit-entry.ts'
import type { Grant } from '../../domain/grant.ts'
import type { AuditFilter, GrantFilter, Revoking } from '../../ports/grants.ts'
import { number, optionalText, type SqlRow, text } from '../rows/columns.ts'
import {
  callOfUse,
  entriesIn,
  entryTexts,
  grantsIn,
  grantText,
  revocationOf,
  useOf,
  type Written,
} from '../rows/grant-rows.ts'
import type { Session } from './session.ts'

const insertGrant = `
  INSERT OR REPLACE INTO grants (id, agent, tool, grantee, scope, run_id, at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
const insertEntry = 'INSERT OR IGNORE INTO audit (agent, run_id, at, use, body, arguments) VALUES (?, ?, ?, ?, ?, ?)'
const selectAgent = 'SELECT agent FROM runs WHERE id = ?'
const selectGrant = 'SELECT agent, scope, used_by FROM grants WHERE id = ?'
const useUp = 'UPDATE grants SET used_by = ? WHERE id = ?'
const deleteGrant = 'DELETE FROM grants WHERE id = ?'
const selectGrants = `
  SELECT body, agent, at FROM grants
  WHERE (?1 IS NULL OR agent = ?1) AND (?2 IS NULL OR tool = ?2) AND (?3 IS NULL OR run_id = ?3)
    AND (?4 IS NULL OR grantee IN (SELECT value FROM json_each(?4))) AND (used_by IS NULL OR used_by = ?5)
    AND (grantee <> 'run:' || run_id OR EXISTS (SELECT 1 FROM runs WHERE id = run_id AND status <> 'done'))
    AND (?6 IS NULL OR id = ?6)
  ORDER BY number DESC`
/** The grants of one tool, by the index: one statement with all conditions would look through every grant. */
const selectOfTool = selectGrants.replace(
  '(?1 IS NULL OR agent = ?1) AND (?2 IS NULL OR tool = ?2)',
  'agent = ?1 AND tool = ?2',
)
const selectAudit = `
  SELECT number, agent, at, body, arguments FROM audit
  WHERE number < ?1 AND (?2 IS NULL OR agent = ?2) AND (?3 IS NULL OR run_id = ?3) ORDER BY number DESC LIMIT ?4`
/** Statements that take away what is kept of a run with it. */
export const forgetGrants = [
  "DELETE FROM grants WHERE run_id = ?1 AND (grantee = 'run:' || ?1 OR used_by IS NOT NULL)",
  'UPDATE audit SET arguments = NULL WHERE run_id = ? AND arguments IS NOT NULL',
]

/**
 * The part of the store that keeps grants and the decisions behind them. The store calls each method inside a
 * transaction.
 */
export function createGrants({ sql }: Session) {
  function add(entry: NewAuditEntry, { agent, at }: Written, use: string | null = null): void {
    const { body, given } = entryTexts(entry)
    sql(insertEntry).run(agent, entry.runId, at, use, body, given)
  }

  function standing({ agent, toolName, grantees, runId, forCall }: GrantFilter, id?: string): readonly Grant[] {
    const isOfTool = agent !== undefined && toolName !== undefined
    const whose = grantees === undefined ? null : JSON.stringify(grantees)
    const call = forCall === undefined ? null : callOfUse(forCall)
    const rows = sql(isOfTool ? selectOfTool : selectGrants).all(
      agent ?? null,
      toolName ?? null,
      runId ?? null,
      whose,
      call,
      id ?? null,
    )
    return grantsIn(rows.map((row) => ({ ...writtenIn(row), body: text('', row, 'body') })))
  }

  return {
    standing,

    write(runId: string, records: readonly DecisionRecord[], at: number): void {
      if (records.length === 0) return
      const agent = text(runId, sql(selectAgent).get(runId) ?? {}, 'agent')
      for (const { grant, entry } of records) {
        if (grant !== undefined) {
          const { id, toolName, grantee, scope } = grant
          sql(insertGrant).run(id, agent, toolName, grantee, scope, runId, at, grantText(grant))
        }
        add(entry, { agent, at })
      }
    },

    use(grantId: string, entry: NewAuditEntry, at: number): boolean {
      const row = sql(selectGrant).get(grantId)
      if (row === undefined) return false
      const call = callOfUse(entry)
      if ((optionalText('', row, 'used_by') ?? call) !== call) return false
      if (text('', row, 'scope') === 'once') sql(useUp).run(call, grantId)
      add(entry, { agent: text('', row, 'agent'), at }, useOf(grantId, entry))
      return true
    },

    revoke(grantId: string, { agent, by, at }: Revoking): Grant | undefined {
      const [grant] = standing(agent === undefined ? {} : { agent }, grantId)
      if (grant === undefined) return undefined
      sql(deleteGrant).run(grantId)
      add(revocationOf(grant, by), { agent: grant.agent, at })
      return grant
    },

    audit({ agent, runId, before, limit = 100 }: AuditFilter): readonly AuditEntry[] {
      const rows = sql(selectAudit).all(before ?? Number.MAX_SAFE_INTEGER, agent ?? null, runId ?? null, limit)
      return entriesIn(
        rows.map((row) => ({
          ...writtenIn(row),
          id: number('', row, 'number'),
          body: text('', row, 'body'),
          arguments: optionalText('', row, 'arguments'),
        })),
      )
    },
  }
}

function writtenIn(row: SqlRow): Written {
  return { agent: text('', row, 'agent'), at: number('', row, 'at') }
}
