import type { AuditEntry, DecisionRecord, NewAuditEntry } from '../../domain/audit-entry.ts'
import { type Grant, granteeOfRun } from '../../domain/grant.ts'
import type { AuditFilter, GrantFilter, GrantStore, Revoking } from '../../ports/grants.ts'
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
import type { MemoryRun } from './commit.ts'

/** What a memory store keeps of what people have decided. */
export class MemoryGrants {
  readonly #runs: ReadonlyMap<string, MemoryRun>
  #grants: readonly Grant[] = []
  readonly #usedBy = new Map<string, string>()
  readonly #audit: AuditEntry[] = []
  readonly #uses = new Set<string>()

  constructor(runs: ReadonlyMap<string, MemoryRun>) {
    this.#runs = runs
  }

  /** The methods of the store; `opened` throws where it is closed. */
  store(opened: () => unknown): GrantStore {
    return {
      grants: async (filter = {}) => {
        opened()
        return this.#standing(filter).toReversed()
      },
      useGrant: async (grantId, entry, now) => {
        opened()
        return this.#use(grantId, entry, now)
      },
      revoke: async (grantId, revoking) => {
        opened()
        return this.#revoke(grantId, revoking)
      },
      audit: async (filter = {}) => {
        opened()
        return this.#entries(filter)
      },
    }
  }

  /** Keeps what comes with decisions that are stored. */
  write(records: readonly DecisionRecord[], written: Written): void {
    const made = records.flatMap(({ grant }) => (grant === undefined ? [] : { ...written, body: grantText(grant) }))
    const others = this.#grants.filter(({ id }) => !records.some(({ grant }) => grant?.id === id))
    if (made.length > 0) this.#grants = [...others, ...grantsIn(made)]
    for (const { entry } of records) this.#add(entry, written)
  }

  forgetRun(runId: string): void {
    const own = granteeOfRun(runId)
    this.#grants = this.#grants.filter(
      (grant) => grant.grantee !== own && !(grant.runId === runId && this.#usedBy.has(grant.id)),
    )
    for (const [index, { arguments: _, ...entry }] of this.#audit.entries()) {
      if (entry.runId === runId) this.#audit[index] = entry
    }
  }

  clear(): void {
    this.#grants = []
    this.#usedBy.clear()
    this.#uses.clear()
    this.#audit.length = 0
  }

  #standing({ agent, toolName, grantees, runId, forCall }: GrantFilter): readonly Grant[] {
    const call = forCall === undefined ? undefined : callOfUse(forCall)
    return this.#grants.filter((grant) => {
      const usedBy = this.#usedBy.get(grant.id)
      if (usedBy !== undefined && usedBy !== call) return false
      if (agent !== undefined && grant.agent !== agent) return false
      if (toolName !== undefined && grant.toolName !== toolName) return false
      if (runId !== undefined && grant.runId !== runId) return false
      if (grantees !== undefined && !grantees.includes(grant.grantee)) return false
      const isOfRun = grant.grantee === granteeOfRun(grant.runId)
      return !isOfRun || this.#runs.get(grant.runId)?.row.status !== 'done'
    })
  }

  #use(grantId: string, entry: NewAuditEntry, at: number): boolean {
    const grant = this.#grants.find(({ id }) => id === grantId)
    const call = callOfUse(entry)
    if (grant === undefined || (this.#usedBy.get(grantId) ?? call) !== call) return false
    if (grant.scope === 'once') this.#usedBy.set(grantId, call)
    const use = useOf(grantId, entry)
    if (!this.#uses.has(use)) this.#add(entry, { agent: grant.agent, at })
    this.#uses.add(use)
    return true
  }

  #revoke(grantId: string, { agent, by, at }: Revoking): Grant | undefined {
    const grant = this.#standing({ ...(agent === undefined ? {} : { agent }) }).find(({ id }) => id === grantId)
    if (grant === undefined) return undefined
    this.#grants = this.#grants.filter(({ id }) => id !== grantId)
    this.#add(revocationOf(grant, by), { agent: grant.agent, at })
    return grant
  }

  #entries({ agent, runId, before = Infinity, limit = 100 }: AuditFilter): readonly AuditEntry[] {
    return this.#audit
      .filter((entry) => entry.id < before)
      .filter((entry) => (agent ?? entry.agent) === entry.agent && (runId ?? entry.runId) === entry.runId)
      .toReversed()
      .slice(0, limit)
  }

  #add(entry: NewAuditEntry, written: Written): void {
    const { body, given } = entryTexts(entry)
    this.#audit.push(...entriesIn([{ ...written, id: this.#audit.length + 1, body, arguments: given }]))
  }
}
