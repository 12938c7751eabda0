import { defined } from '../domain/text/json.ts'
import * as is from '../domain/text/option-shape.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import type { RunFilter, SessionFilter, SuspendedFilter } from '../ports/store-lists.ts'
import { listSessions } from '../driving/find-sessions.ts'
import { checkedLabels } from '../driving/run-labels.ts'
import { isParent } from '../family/lineage.ts'
import type { Agent, OwnFilter } from './agent.ts'

const page = {
  subject: is.optional(is.text),
  before: is.optional(is.text),
  limit: is.optional(is.wholeFrom(0)),
}

const suspendedShape: is.OptionShape<OwnFilter<SuspendedFilter>> = {
  ...page,
  status: is.optional(is.oneOf('running', 'waiting', 'done')),
  session: is.optional(is.text),
  labels: is.checkedElsewhere,
}

const runShape: is.OptionShape<OwnFilter<RunFilter>> = {
  ...suspendedShape,
  updatedBefore: is.optional(is.number('a time in Unix milliseconds', Number.isFinite)),
}

const sessionShape: is.OptionShape<OwnFilter<SessionFilter>> = page

/** Returns the methods of an agent that list its stored runs and sessions. */
export function findStored(core: AgentCore): Pick<Agent, 'runs' | 'sessions' | 'suspended'> {
  const { store, name, agentId } = core
  return {
    runs: async (filter = {}) => {
      is.checkOptions('runs', filter, runShape)
      return store.list(given<RunFilter>(name, withLabels(filter)))
    },
    sessions: async (filter = {}) => {
      is.checkOptions('sessions', filter, sessionShape)
      return listSessions(store, given<SessionFilter>(agentId, filter))
    },
    suspended: async (filter = {}) => {
      is.checkOptions('suspended', filter, suspendedShape)
      if (!isParent(core)) return store.suspended(given<SuspendedFilter>(name, withLabels(filter)))
      const { suspendedInFamily } = await import('../family/route.ts')
      return suspendedInFamily(core, given<SuspendedFilter>(name, withLabels(filter)))
    },
  }
}

function withLabels<Filter extends Pick<OwnFilter<SuspendedFilter>, 'labels'>>(filter: Filter): Filter {
  return filter.labels === undefined ? filter : { ...filter, labels: checkedLabels(filter.labels) }
}

/** Returns a store's filter with the agent and without undefined fields. */
export function given<Filter>(agent: string, filter: OwnFilter<Filter>): Filter {
  return { ...defined(filter), agent } as Filter
}
