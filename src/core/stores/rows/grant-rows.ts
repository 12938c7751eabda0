import type { AuditEntry, NewAuditEntry } from '../../domain/audit-entry.ts'
import type { Grant, NewGrant } from '../../domain/grant.ts'
import type { Json } from '../../domain/text/json.ts'
import { hasTexts } from '../../domain/text/shape.ts'
import { parseJson } from '../../domain/text/parse-json.ts'
import { stringifyJson } from './json-text.ts'

/** What a store adds to a grant and to an entry: whose run it is, and when. */
export interface Written {
  readonly agent: string
  /** Unix milliseconds. */
  readonly at: number
}

/** A row of a grant, JSON as text. */
export interface GrantRow extends Written {
  readonly body: string
}

/** A row of the audit, JSON as text. */
export interface AuditRow extends Written {
  readonly id: number
  readonly body: string
  /** Null where there are none, or none any more. */
  readonly arguments: string | null
}

/** The text of a grant. */
export function grantText(grant: NewGrant): string {
  return stringifyJson(grant, `Grant "${grant.id}"`)
}

/** The texts of an entry: its arguments stand apart, since they go with their run. */
export function entryTexts({ arguments: given, ...entry }: NewAuditEntry): {
  readonly body: string
  readonly given: string | null
} {
  const what = `The audit of call "${entry.callId}"`
  return { body: stringifyJson(entry, what), given: given === undefined ? null : stringifyJson(given, what) }
}

/** Names the use of a grant by a call: it stands in the audit once. */
export function useOf(grantId: string, entry: Pick<NewAuditEntry, 'runId' | 'callId'>): string {
  return `${grantId} ${callOfUse(entry)}`
}

/** Names the call that has used a grant up. */
export function callOfUse({ runId, callId }: Pick<NewAuditEntry, 'runId' | 'callId'>): string {
  return `${runId} ${callId}`
}

/** Grants of their rows. One that cannot be read allows nothing, and is left out. */
export function grantsIn(rows: readonly GrantRow[]): readonly Grant[] {
  return rows.flatMap(({ body, agent, at }) => {
    const grant = parsed(body)
    return isGrant(grant) ? [{ ...grant, agent, at }] : []
  })
}

/** Entries of their rows; what of one cannot be read is left out. */
export function entriesIn(rows: readonly AuditRow[]): readonly AuditEntry[] {
  return rows.flatMap(({ id, at, agent, body, arguments: given }) => {
    const entry = parsed(body)
    if (!isEntry(entry)) return []
    const shown = given === null ? undefined : parsed(given)
    return [{ ...entry, id, at, agent, ...(shown === undefined ? {} : { arguments: shown }) }]
  })
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

const isGrant = hasTexts<NewGrant>('id', 'grantee', 'scope', 'says', 'toolName', 'definition', 'runId', 'callId')

const isEntry = hasTexts<NewAuditEntry>('action', 'runId', 'callId', 'toolName')

/** The entry that says who took a grant back. */
export function revocationOf({ id, runId, callId, toolName, scope, rule }: Grant, by?: string): NewAuditEntry {
  return {
    action: 'revoked',
    runId,
    callId,
    toolName,
    scope,
    grantId: id,
    ...(rule === undefined ? {} : { rule }),
    ...(by === undefined ? {} : { by }),
  }
}
