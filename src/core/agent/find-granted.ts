import { checkOptions, listOf, number, optional, type OptionShape, text } from '../domain/text/option-shape.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import type { AuditFilter, GrantFilter } from '../ports/grants.ts'
import type { Agent, OwnFilter, RevokeOptions } from './agent.ts'
import { given } from './find-stored.ts'

const count = number('a whole number of 0 or more', (value) => Number.isSafeInteger(value) && value >= 0)

const grantShape: OptionShape<Omit<OwnFilter<GrantFilter>, 'forCall'>> = {
  toolName: optional(text),
  grantees: optional(listOf(text)),
  runId: optional(text),
}

const auditShape: OptionShape<OwnFilter<AuditFilter>> = {
  runId: optional(text),
  before: optional(count),
  limit: optional(count),
}

const revokeShape: OptionShape<RevokeOptions> = { by: optional(text) }

/** Returns the methods of an agent that read and change grants and the audit. */
export function findGranted({ store, name, clock }: AgentCore): Pick<Agent, 'grants' | 'revoke' | 'audit'> {
  return {
    grants: async (filter = {}) => {
      checkOptions('grants', filter, grantShape)
      const { listGrants } = await import('../driving/granted.ts')
      return listGrants(store, given<GrantFilter>(name, filter))
    },
    revoke: async (grantId, options = {}) => {
      checkOptions('revoke', options, revokeShape)
      const { by } = options
      const revoking = { agent: name, at: clock.now(), ...(by === undefined ? {} : { by }) }
      const { revokeGrant } = await import('../driving/granted.ts')
      return revokeGrant(store, grantId, revoking)
    },
    audit: async (filter = {}) => {
      checkOptions('audit', filter, auditShape)
      const { listAudit } = await import('../driving/granted.ts')
      return listAudit(store, given<AuditFilter>(name, filter))
    },
  }
}
