import { checkOptions, listOf, optional, type OptionShape, text, wholeFrom } from '../domain/text/option-shape.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { listAudit, listGrants, revokeGrant } from '../driving/list-grants.ts'
import { membersOf } from '../family/lineage.ts'
import type { AuditFilter, GrantFilter } from '../ports/grants.ts'
import type { Agent, OwnFilter, RevokeOptions } from './agent.ts'
import { given } from './find-stored.ts'

const count = wholeFrom(0)

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
export function findGranted(core: AgentCore): Pick<Agent, 'grants' | 'revoke' | 'audit'> {
  const { store, name, clock } = core
  const names = () => membersOf(core).map((member) => member.name)
  return {
    grants: async (filter = {}) => {
      checkOptions('grants', filter, grantShape)
      const lists = await Promise.all(names().map((agent) => listGrants(store, given<GrantFilter>(agent, filter))))
      return lists.flat().toSorted((one, other) => other.at - one.at)
    },
    revoke: async (grantId, options = {}) => {
      checkOptions('revoke', options, revokeShape)
      const { by } = options
      const revoking = { agents: names(), at: clock.now(), ...(by === undefined ? {} : { by }) }
      return revokeGrant(store, grantId, revoking)
    },
    audit: async (filter = {}) => {
      checkOptions('audit', filter, auditShape)
      return listAudit(store, given<AuditFilter>(name, filter))
    },
  }
}
