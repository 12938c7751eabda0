import type { AuditEntry, DecisionRecord, NewAuditEntry } from './audit-entry.ts'
import { type Grant, granteeOfRun } from './grant.ts'
import { changing, drop, put, type RecordChange, type RecordWrite } from './records/record-change.ts'
import type { StoredRecord } from './records/found-records.ts'
import { recordKind } from './records/record-kind.ts'
import { rowOf } from './records/record-read.ts'
import { defined } from './text/json.ts'
import { hasTexts } from './text/shape.ts'

interface KeptGrant extends Grant {
  /** The call that has used the grant, for scope `once`. */
  readonly usedBy?: string
}

type KeptEntry = Omit<AuditEntry, 'id'>

/** The author and scope of a revocation. */
export interface Revoking {
  /** The names of the agents whose grants may be revoked. Default: any agent's. */
  readonly agents?: readonly string[]
  readonly by?: string
  /** Unix milliseconds. */
  readonly at: number
}

/**
 * Grants, by id. If a grant is stored again under its id, it is a new decision, valid regardless of the earlier one.
 * Grants for one run or its family, and used ones, are deleted with their run.
 */
export const grantKind = recordKind<KeptGrant>({
  name: 'grant',
  fields: { agent: 'text', tool: 'text', grantee: 'text', run: 'text' },
  fieldsOf: ({ agent, toolName: tool, grantee, runId: run }) => ({ agent, tool, grantee, run }),
  indexes: { tool: ['agent', 'tool', 'grantee'], agent: ['agent'], run: ['run'] },
  isBody: hasTexts('id', 'agent', 'grantee', 'scope', 'says', 'toolName', 'definition', 'runId', 'callId'),
  runGone: (grant) => (isOfRun(grant) || grant.scope === 'family' || grant.usedBy !== undefined ? undefined : grant),
})

/** The audit. An entry outlives its run, without the arguments. */
export const auditKind = recordKind<KeptEntry>({
  name: 'audit',
  fields: { agent: 'text', run: 'text' },
  fieldsOf: ({ agent, runId: run }) => ({ agent, run }),
  indexes: { agent: ['agent'], run: ['run'] },
  isBody: hasTexts('agent', 'action', 'runId', 'callId', 'toolName'),
  runGone: (entry) => {
    const { arguments: given, ...left } = entry
    return given === undefined ? entry : left
  },
})

/** Returns the grant of a record if it is valid: no other call has used it, and its run is not done. */
export function standingGrant(
  { body, runStatus }: StoredRecord<KeptGrant>,
  forCall?: Pick<NewAuditEntry, 'runId' | 'callId'>,
): Grant | undefined {
  const { usedBy, ...grant } = body
  if (usedBy !== undefined && (forCall === undefined || usedBy !== callOfUse(forCall))) return undefined
  return isOfRun(grant) && (runStatus === undefined || runStatus === 'done') ? undefined : grant
}

/** Returns the writes for decisions of an agent's run. */
export function decisionWrites(records: readonly DecisionRecord[], agent: string, at: number): readonly RecordWrite[] {
  return records.flatMap(({ entry, grant }) => [
    ...(grant === undefined ? [] : [put(grantKind, grant.id, { agent, ...grant, at })]),
    put(auditKind, JSON.stringify(['decided', entry.runId, entry.decisionId, at]), { ...entry, agent, at }),
  ])
}

/**
 * Uses a grant for a call. The answer is false if the grant is gone, or if its scope is `once` and another call has
 * used it.
 */
export function useGrant(grantId: string, entry: NewAuditEntry, at: number): RecordChange<boolean> {
  const call = callOfUse(entry)
  const use = JSON.stringify(['used', grantId, entry.runId, entry.callId])
  return {
    reads: [rowOf(grantKind, grantId), rowOf(auditKind, use)],
    judge: (found) => {
      const grant = found.row(grantKind, grantId)?.body
      if (grant === undefined || (grant.usedBy ?? call) !== call) return { answer: false, writes: [] }
      const isUsedUp = grant.scope === 'once' && grant.usedBy === undefined
      const noted = put(auditKind, use, { ...entry, agent: grant.agent, at })
      return {
        answer: true,
        writes: [
          ...(isUsedUp ? [put(grantKind, grantId, { ...grant, usedBy: call })] : []),
          ...(found.has(auditKind, use) ? [] : [noted]),
        ],
      }
    },
  }
}

/** Revokes a grant. The answer is the grant, or undefined if the agent has no such valid grant. */
export function takeBackGrant(grantId: string, { agents, by, at }: Revoking): RecordChange<Grant | undefined> {
  return changing(grantKind, grantId, (row) => {
    const grant = row && standingGrant(row)
    if (grant === undefined || agents?.includes(grant.agent) === false) return { answer: undefined, writes: [] }
    const key = JSON.stringify(['revoked', grantId, at])
    const entry = put(auditKind, key, { ...revocationOf(grant, by), agent: grant.agent, at })
    return { answer: grant, writes: [drop(grantKind, grantId), entry] }
  })
}

function revocationOf({ id, runId, callId, toolName, scope, rule }: Grant, by?: string): NewAuditEntry {
  return { action: 'revoked', runId, callId, toolName, scope, grantId: id, ...defined({ rule, by }) }
}

function isOfRun({ grantee, runId }: Pick<Grant, 'grantee' | 'runId'>): boolean {
  return grantee === granteeOfRun(runId)
}

function callOfUse({ runId, callId }: Pick<NewAuditEntry, 'runId' | 'callId'>): string {
  return JSON.stringify([runId, callId])
}
