import { having, listOf } from '../../domain/text/option-shape.ts'
import { nearestName } from '../../domain/text/nearest-name.ts'
import { UsageError } from '../../domain/text/usage-error.ts'
import type { RunRecord } from '../../domain/run-record.ts'
import type { AgentCore } from '../../driving/agent-core.ts'
import { leftToVersion } from '../../driving/agent-version.ts'
import { coreOf } from '../../driving/core-of.ts'
import { type OpenRun, readOpenRun, type RunFault, tryOpenRun } from '../../driving/try-runs.ts'
import { membersOf } from '../../family/lineage.ts'
import type { InboxRow } from '../../domain/inbox.ts'
import type { Store } from '../../ports/store.ts'
import type { Saying } from './saying.ts'
import { asForecast, forecastKinds } from './as-forecast.ts'

/** Open runs with the same outlook for the same reason. A run with several reasons is in several groups. */
export interface ForecastGroup extends Saying {
  readonly runIds: readonly string[]
}

/** The forecast for the open runs of a store under new code. */
export interface Forecast {
  /** The number of open runs. */
  readonly checked: number
  /** The number of open runs that would continue in the same way. */
  readonly alike: number
  /** The other runs, by reason: stuck ones first, then by size. */
  readonly groups: readonly ForecastGroup[]
}

/** Options of `forecast`. */
export interface ForecastOptions {
  /** The agents of the earlier version. With them, only differences are reported. */
  readonly from?: readonly { readonly name: string }[]
}

/** The number of runs that are read at a time. */
const atOnce = 16

/**
 * Reports for every open run of a store, including those of sub-agents, what these agents would do with it up to the
 * next model answer if its questions were approved as asked. Stored answers count. Calls no model, tool, plugin, policy
 * or `needs` function; claims and writes nothing. Only your schemas check stored arguments. Throws a `UsageError` for
 * anything but agents with unique names and versions, and a `StoreError` if the store cannot be reached.
 *
 * @example
 * const { groups } = await forecast(store, [agent])
 * for (const { outlook, reason, runIds } of groups) console.log(`${runIds.length} ${outlook}: ${reason}`)
 */
export async function forecast(
  store: Store,
  agents: readonly { readonly name: string }[],
  { from }: ForecastOptions = {},
): Promise<Forecast> {
  having('a store', 'list', 'read')(store, { field: 'store', owner: 'forecast' })
  const cores = coresByName(agents, 'agents')
  const before = from && coresByName(from, 'from')
  const groups = new Map<string, Saying & { readonly runIds: string[] }>()
  let [checked, alike] = [0, 0]
  const take = (runId: string, sayings: readonly Saying[]) => {
    checked++
    if (sayings.length === 0) alike++
    for (const saying of sayings) {
      const key = JSON.stringify([saying.outlook, saying.reason])
      const group = groups.get(key) ?? { ...saying, runIds: [] }
      group.runIds.push(runId)
      groups.set(key, group)
    }
  }
  for (const status of ['running', 'waiting'] as const) {
    const listed = await store.list({ status, limit: Number.MAX_SAFE_INTEGER })
    for (let first = 0; first < listed.length; first += atOnce) {
      const some = listed.slice(first, first + atOnce)
      const said = await Promise.all(some.map((run) => sayingsOf(store, run.id, cores, before)))
      for (const [place, sayings] of said.entries()) if (sayings) take(some[place]?.id ?? '', sayings)
    }
  }
  const weight = ({ outlook }: Saying) => (outlook === 'stuck' ? 0 : 1)
  const sorted = [...groups.values()].toSorted(
    (left, right) => weight(left) - weight(right) || right.runIds.length - left.runIds.length,
  )
  return { checked, alike, groups: sorted }
}

/** Agents and their sub-agents, of each version, by the names of their runs. */
type Cores = ReadonlyMap<string, readonly AgentCore[]>

function coresByName(agents: readonly { readonly name: string }[], field: string): Cores {
  listOf(having('an agent'))(agents, { field, owner: 'forecast' })
  const roots = agents.map((agent) => coreOf(agent, 'forecast'))
  const isSame = (left: AgentCore, right: AgentCore) => left.name === right.name && left.version === right.version
  const twice = roots.find((core, place) => roots.findIndex((other) => isSame(core, other)) !== place)
  if (twice === undefined) return Map.groupBy(roots.flatMap(membersOf), ({ name }) => name)
  const message = `forecast was given two agents named ${JSON.stringify(twice.name)}. Give it one for each name and version.`
  throw new UsageError('bad_option', message)
}

/** Returns the agent of a run's version, or else one that takes it over, or any of its name. */
function coreFor(cores: Cores, { agent, agentVersion }: RunRecord): AgentCore | undefined {
  const named = cores.get(agent) ?? []
  const own = named.find(({ version }) => version === agentVersion)
  return own ?? named.find(({ otherVersions }) => otherVersions === 'move') ?? named[0]
}

/** Returns undefined for a run that has ended or has been deleted meanwhile. */
async function sayingsOf(
  store: Store,
  runId: string,
  cores: Cores,
  before: Cores | undefined,
): Promise<readonly Saying[] | undefined> {
  const open = await readOpenRun(store, runId)
  if (open === undefined) return undefined
  if ('code' in open) return [stuck(open)]
  const inbox = await store.inbox(runId, { kinds: forecastKinds })
  const now = await sayingsBy(store, cores, { open, inbox, before: before && coreFor(before, open.stored.record) })
  return before === undefined ? now : differences(await sayingsBy(store, before, { open, inbox }), now)
}

interface Read {
  readonly open: OpenRun
  readonly inbox: readonly InboxRow[]
  readonly before?: AgentCore | undefined
}

async function sayingsBy(store: Store, cores: Cores, { open, inbox, before }: Read): Promise<readonly Saying[]> {
  const { agent } = open.stored.record
  const core = coreFor(cores, open.stored.record)
  if (core === undefined) {
    const near = nearestName(agent, [...cores.keys()])
    const wish = near === undefined ? 'Add it.' : `Has it become "${near}"? Then load the run with adopt: true.`
    return [{ outlook: 'stuck', reason: `No agent is named "${agent}". ${wish}` }]
  }
  const tried = tryOpenRun(core, open)
  if ('code' in tried) return [stuck(tried)]
  const left = leftToVersion(open.stored.record, tried.log.calls(), core)
  if (left !== undefined) return [{ outlook: 'stuck', reason: left }]
  const { forecastRun } = await import('./forecast-run.ts')
  return forecastRun(core.parts, await asForecast(store, core, { ...open.stored, tried, inbox }), before?.parts)
}

function stuck({ code, message }: RunFault): Saying {
  return { outlook: 'stuck', reason: `${code}: ${message}` }
}

/**
 * Returns the differences of new code from earlier code. What both do is left out, unless it is unknown or the run
 * cannot continue. What only the earlier code does is named.
 */
function differences(before: readonly Saying[], now: readonly Saying[]): readonly Saying[] {
  const isIn = (sayings: readonly Saying[], { reason }: Saying) => sayings.some((saying) => saying.reason === reason)
  if (now.some(({ outlook }) => outlook === 'stuck')) return now
  return [
    ...now.filter((saying) => saying.outlook === 'unknown' || !isIn(before, saying)),
    ...before.flatMap((saying): readonly Saying[] => {
      if (isIn(now, saying)) return []
      const outlook = saying.outlook === 'unknown' ? 'unknown' : 'otherwise'
      return [{ outlook, reason: `Only with the code before: ${saying.reason}` }]
    }),
  ]
}
