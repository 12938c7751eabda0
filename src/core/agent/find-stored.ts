import {
  checkedElsewhere,
  checkOptions,
  number,
  oneOf,
  optional,
  type OptionShape,
  text,
} from '../domain/text/option-shape.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import type { RunFilter, SessionFilter, SuspendedFilter } from '../ports/store-lists.ts'
import { listSessions } from '../driving/find-sessions.ts'
import { checkedLabels } from '../driving/run-labels.ts'
import { isParent } from '../family/lineage.ts'
import type { Agent, OwnFilter } from './agent.ts'

const page = {
  subject: optional(text),
  before: optional(text),
  limit: optional(number('a whole number of 0 or more', (value) => Number.isSafeInteger(value) && value >= 0)),
}

const suspendedShape: OptionShape<OwnFilter<SuspendedFilter>> = {
  ...page,
  status: optional(oneOf('running', 'waiting', 'done')),
  session: optional(text),
  labels: checkedElsewhere,
}

const runShape: OptionShape<OwnFilter<RunFilter>> = {
  ...suspendedShape,
  updatedBefore: optional(number('a time in Unix milliseconds', Number.isFinite)),
}

const sessionShape: OptionShape<OwnFilter<SessionFilter>> = page

/** Returns the methods of an agent that list its stored runs and sessions. */
export function findStored(core: AgentCore): Pick<Agent, 'runs' | 'sessions' | 'suspended'> {
  const { store, name, agentId } = core
  return {
    runs: async (filter = {}) => {
      checkOptions('runs', filter, runShape)
      return store.list(given<RunFilter>(name, withLabels(filter)))
    },
    sessions: async (filter = {}) => {
      checkOptions('sessions', filter, sessionShape)
      return listSessions(store, given<SessionFilter>(agentId, filter))
    },
    suspended: async (filter = {}) => {
      checkOptions('suspended', filter, suspendedShape)
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
  const fields = Object.entries(filter).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(fields), agent } as Filter
}
