import type { Agent, Store } from '../../index.ts'
import { listGrants, listWorkers } from '../../ports.ts'

/** The sum of tokens and cost over the runs of one agent. */
export interface AgentCost {
  readonly agent: string
  readonly runs: number
  readonly tokens: number
  /** US dollars. */
  readonly cost: number
}

/** The maximum runs whose cost is added, and the maximum grants and postponed runs. */
const most = { runs: 200, rows: 200 }

/** The cost of runs by id, with the version at which each was read. */
export type KnownCosts = Map<string, { readonly version: number; readonly tokens: number; readonly cost: number }>

/**
 * Returns the cost of the newest runs by agent, the valid grants, the workers, and the runs that they leave alone. Runs
 * that have not changed since `known` are not read again; afterwards `known` has the listed runs.
 */
export async function aboutStore(reader: Agent, store: Store, known: KnownCosts) {
  const [grants, workers, postponed] = await Promise.all([
    listGrants(store),
    listWorkers(store),
    store.postponed({ limit: most.rows }),
  ])
  const costs = new Map<string, AgentCost>()
  const read: KnownCosts = new Map()
  for (const run of await store.list({ limit: most.runs })) {
    if ('damaged' in run) continue
    const { id, agent, version } = run
    const before = known.get(id)
    const found = before?.version === version ? before : await costOf(reader, id, version)
    if (found === undefined) continue
    read.set(id, found)
    const { runs: count, tokens, cost } = costs.get(agent) ?? { runs: 0, tokens: 0, cost: 0 }
    costs.set(agent, { agent, runs: count + 1, tokens: tokens + found.tokens, cost: cost + found.cost })
  }
  known.clear()
  for (const [id, found] of read) known.set(id, found)
  const sorted = [...costs.values()].toSorted((one, other) => other.cost - one.cost || other.tokens - one.tokens)
  return { runs: read.size, costs: sorted, grants: grants.slice(0, most.rows), workers, postponed }
}

/** Returns undefined for a run that was deleted meanwhile or is unreadable. */
async function costOf(reader: Agent, id: string, version: number) {
  const result = await reader
    .load(id)
    .then((run) => run.result())
    .catch(() => undefined)
  return result && { version, tokens: result.usage.totalTokens, cost: result.cost }
}

/** The facts about a store that the page shows. */
export type AboutStore = Awaited<ReturnType<typeof aboutStore>>
