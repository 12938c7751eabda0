import type { AuditEntry, DecisionRecord, NewAuditEntry } from '../../../core/domain/audit-entry.ts'
import type { Grant } from '../../../core/domain/grant.ts'
import type { AuditFilter, GrantFilter, Revoking } from '../../../core/ports/grants.ts'
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
import type { Session } from './session.ts'

const insertGrant = `
  INSERT OR REPLACE INTO grants (id, agent, tool, grantee, scope, run_id, at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
const insertEntry = 'INSERT OR IGNORE INTO audit (agent, run_id, at, use, body, arguments) VALUES (?, ?, ?, ?, ?, ?)'
const selectAgent = 'SELECT agent FROM runs WHERE id = ?'
const selectGrant = 'SELECT agent, scope, used_by FROM grants WHERE id = ?'
const useUp = 'UPDATE grants SET used_by = ? WHERE id = ?'
const deleteGrant = 'DELETE FROM grants WHERE id = ?'
/** Returns the statement for the grants that satisfy some conditions; the first value is the call that they are for. */
export function selectGrants(conditions: readonly string[]): string {
  const standing = [
    '(used_by IS NULL OR used_by = ?)',
    "(grantee <> 'run:' || run_id OR EXISTS (SELECT 1 FROM runs WHERE id = run_id AND status <> 'done'))",
  ]
  return `SELECT body, agent, at FROM grants WHERE ${[...standing, ...conditions].join(' AND ')} ORDER BY number DESC`
}

/** Returns the statement for audit entries that satisfy some conditions. */
export function selectAudit(conditions: readonly string[]): string {
  const where = ['number < ?', ...conditions].join(' AND ')
  return `SELECT number, agent, at, body, arguments FROM audit WHERE ${where} ORDER BY number DESC LIMIT ?`
}

/** Conditions of a statement by the values that they compare with. A condition without a value is left out. */
type Conditions = readonly (readonly [condition: string, value: string | undefined])[]

function given(conditions: Conditions): { readonly texts: readonly string[]; readonly values: readonly string[] } {
  const asked = conditions.flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]))
  return { texts: asked.map(({ condition }) => condition), values: asked.map(({ value }) => value) }
}

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
    const texts = entryTexts(entry)
    sql(insertEntry).run(agent, entry.runId, at, use, texts.body, texts.given)
  }

  function standing({ agent, toolName, grantees, runId, forCall }: GrantFilter, id?: string): readonly Grant[] {
    const { texts, values } = given([
      ['id = ?', id],
      ['agent = ?', agent],
      ['tool = ?', toolName],
      ['run_id = ?', runId],
      ['grantee IN (SELECT value FROM json_each(?))', grantees && JSON.stringify(grantees)],
    ])
    const call = forCall === undefined ? null : callOfUse(forCall)
    const rows = sql(selectGrants(texts)).all(call, ...values)
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
      const { texts, values } = given([
        ['run_id = ?', runId],
        ['agent = ?', agent],
      ])
      const rows = sql(selectAudit(texts)).all(before ?? Number.MAX_SAFE_INTEGER, ...values, limit)
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
