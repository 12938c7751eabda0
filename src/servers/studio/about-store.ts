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

/** Returns what the newest runs cost by agent, the grants that apply, the workers, and the runs that these leave alone. */
export async function aboutStore(reader: Agent, store: Store) {
  const [grants, workers, postponed] = await Promise.all([
    listGrants(store),
    listWorkers(store),
    store.postponed({ limit: most.rows }),
  ])
  const costs = new Map<string, AgentCost>()
  let runs = 0
  for (const run of await store.list({ limit: most.runs })) {
    if ('damaged' in run) continue
    // A run that was deleted meanwhile, or that cannot be read, costs nothing that could be told.
    const result = await reader
      .load(run.id)
      .then((one) => one.result())
      .catch(() => undefined)
    if (result === undefined) continue
    runs++
    const { runs: count, tokens, cost } = costs.get(run.agent) ?? { runs: 0, tokens: 0, cost: 0 }
    const sum = { runs: count + 1, tokens: tokens + result.usage.totalTokens, cost: cost + result.cost }
    costs.set(run.agent, { agent: run.agent, ...sum })
  }
  const sorted = [...costs.values()].toSorted((one, other) => other.cost - one.cost || other.tokens - one.tokens)
  return { runs, costs: sorted, grants: grants.slice(0, most.rows), workers, postponed }
}

/** The facts about a store that the page shows. */
export type AboutStore = Awaited<ReturnType<typeof aboutStore>>
