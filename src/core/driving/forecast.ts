import { having, listOf } from '../domain/text/option-shape.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { nearestName } from '../domain/text/nearest-name.ts'
import type { Store } from '../ports/store.ts'
import type { AgentCore } from './agent-core.ts'
import { coreOf, tryOpenRun } from './check-runs.ts'
import type { Saying } from './forecast-run.ts'

/** Open runs with the same outlook for the same reason. A run with several reasons is in several groups. */
export interface ForecastGroup extends Saying {
  readonly runIds: readonly string[]
}

/** The forecast for the open runs of a store under new code. */
export interface Forecast {
  /** The number of open runs. */
  readonly checked: number
  /** The number of open runs that would go on alike. */
  readonly alike: number
  /** The other runs: stuck ones first, then by size. */
  readonly groups: readonly ForecastGroup[]
}

/**
 * Says of every open root run of a store what these agents would do with it if its questions were approved as they were
 * asked, up to the next model answer. Calls no model, tool, plugin, policy or `needs` function; claims and writes
 * nothing. A schema of yours is asked about stored arguments.
 *
 * Throws a `UsageError` for anything else than agents with unique names, and a `StoreError` if the store cannot be
 * reached.
 *
 * @example
 * const { groups } = await forecast(store, [agent])
 * for (const { outlook, reason, runIds } of groups) console.log(`${runIds.length} ${outlook}: ${reason}`)
 */
export async function forecast(store: Store, agents: readonly { readonly name: string }[]): Promise<Forecast> {
  having('a store', 'list', 'read')(store, { field: 'store', owner: 'forecast' })
  listOf(having('an agent'))(agents, { field: 'agents', owner: 'forecast' })
  const cores = coresByName(agents)
  const groups = new Map<string, Saying & { readonly runIds: string[] }>()
  let [checked, alike] = [0, 0]
  for (const status of ['running', 'waiting'] as const) {
    for (const run of await store.list({ status, limit: Number.MAX_SAFE_INTEGER })) {
      const sayings =
        'damaged' in run
          ? [{ outlook: 'stuck' as const, reason: run.damaged }]
          : await sayingsOf(store, cores, { id: run.id, agent: run.agent })
      if (sayings === undefined) continue
      checked++
      if (sayings.length === 0) alike++
      for (const saying of sayings) {
        const key = JSON.stringify([saying.outlook, saying.reason])
        const group = groups.get(key) ?? { ...saying, runIds: [] }
        group.runIds.push(run.id)
        groups.set(key, group)
      }
    }
  }
  const weight = ({ outlook }: Saying) => (outlook === 'stuck' ? 0 : 1)
  const sorted = [...groups.values()].toSorted(
    (left, right) => weight(left) - weight(right) || right.runIds.length - left.runIds.length,
  )
  return { checked, alike, groups: sorted }
}

function coresByName(agents: readonly { readonly name: string }[]): ReadonlyMap<string, AgentCore> {
  const cores = new Map<string, AgentCore>()
  for (const agent of agents) {
    if (cores.has(agent.name)) {
      const message = `forecast was given two agents named ${JSON.stringify(agent.name)}. Give it one for each name.`
      throw new UsageError('bad_option', message)
    }
    cores.set(agent.name, coreOf(agent, 'forecast'))
  }
  return cores
}

/** Returns undefined for a run that was deleted meanwhile. */
async function sayingsOf(
  store: Store,
  cores: ReadonlyMap<string, AgentCore>,
  { id, agent }: { readonly id: string; readonly agent: string },
): Promise<readonly Saying[] | undefined> {
  const core = cores.get(agent)
  if (core === undefined) {
    const near = nearestName(agent, [...cores.keys()])
    const wish = near === undefined ? 'Add it.' : `Has it become "${near}"? Then load the run with adopt: true.`
    return [{ outlook: 'stuck', reason: `No agent is named "${agent}". ${wish}` }]
  }
  const { log, subject = id, tools, problem } = await tryOpenRun(store, core, id)
  if (problem !== undefined) return [{ outlook: 'stuck', reason: `${problem.code}: ${problem.message}` }]
  if (log === undefined) return undefined
  const { forecastRun } = await import('./forecast-run.ts')
  return await forecastRun(core, { log, subject, tools })
}
