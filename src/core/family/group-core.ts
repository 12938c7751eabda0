import { hashText } from '../domain/text/json.ts'
import { branchesIn } from '../domain/branch-group.ts'
import { type AgentCore, agentCore, type OwnTools } from '../driving/agent-core.ts'
import { branchesCharts, toBranchesEvent } from '../driving/branches-charts.ts'
import { versionIn } from '../driving/agent-version.ts'
import { readInput } from '../driving/read-input.ts'
import type { Strategy } from '../ports/strategy.ts'
import type { ToolTable } from '../effects/agent-tools.ts'
import { accountIn, runAccount } from './run-account.ts'
import { tellWhenCancelled } from './bind-child-tools.ts'
import { branchTool } from './branch-tool.ts'
import { evaluate } from './evaluate.ts'
import {
  type Bindable,
  type BoundAgent,
  keepChildTools,
  keepGroup,
  keepMember,
  memberName,
  refuseNamesakes,
} from './lineage.ts'

/** The agents of a group, bound to their host, with the functions that drive the group. */
export interface Group {
  readonly core: AgentCore
  /** The agents of the branches, in order. */
  readonly members: readonly AgentCore[]
  /** Uses a strategy for the runs of this group from now on, or for one of them. */
  judgeBy(strategy: Strategy, runId?: string): void
  close(): Promise<void>
}

interface KnownGroup extends Group {
  readonly agents: readonly Bindable[]
}

/** The latest group of each name. */
const known = new WeakMap<AgentCore, Map<string, KnownGroup>>()
/** Groups with the same names and other agents. They exist as long as one of their runs is driven or held. */
const earlier = new WeakMap<AgentCore, readonly WeakRef<AgentCore>[]>()
const groups = new WeakMap<AgentCore, Group>()

/**
 * Returns the group of these agents in a host; the same agents give the same group. The host's rules apply to each
 * agent. The group's runs are stored under a name derived from the agents' names, so that other processes leave them
 * alone.
 */
export function groupOf(host: AgentCore, agents: readonly Bindable[], strategy: Strategy): Group {
  const name = memberName(host, nameOf(agents, strategy))
  const named = known.get(host) ?? new Map<string, KnownGroup>()
  known.set(host, named)
  const found = named.get(name)
  const isSame = found?.agents.every((agent, place) => agent === agents[place]) === true
  if (found !== undefined && !isSame) earlier.set(host, [...livingOf(host), new WeakRef(found.core)])
  const group = isSame ? found : bindGroup(host, name, agents)
  group.judgeBy(strategy)
  named.set(name, group)
  groups.set(group.core, group)
  return group
}

/** Closes the groups of a host. */
export async function closeGroups(host: AgentCore): Promise<void> {
  const living = livingOf(host).flatMap((one) => groups.get(one.deref() ?? host) ?? [])
  for (const group of [...(known.get(host)?.values() ?? []), ...living]) await group.close()
}

function livingOf(host: AgentCore): readonly WeakRef<AgentCore>[] {
  return (earlier.get(host) ?? []).filter((one) => one.deref() !== undefined)
}

function bindGroup(host: AgentCore, name: string, agents: readonly Bindable[]): KnownGroup {
  const { store, clock, ids, leaseMs, parts, tracer, agentId, history } = host
  const strategies = new Map<string, Strategy>()
  let latest: Strategy = 'pickFirst'
  let members: readonly AgentCore[] = []
  const table: ToolTable = new Map([
    [
      'branch',
      branchTool(
        () => core,
        () => members,
      ),
    ],
  ])
  const { permissions: _, ...others } = parts
  const core = agentCore({
    name,
    agentId,
    ...versionIn(host),
    successor: host,
    // The rules of the host apply to its branches, and not to the calls that start them.
    parts: { ...others, tools: toolsOf(table), plugins: [], inherited: [] },
    store,
    clock,
    ids,
    leaseMs,
    history,
    runOptions: host.runOptions,
    ...(tracer && { tracer }),
    accountFor: (id, input) => {
      const account = accountIn(id, input, true)
      return account && runAccount(store, id, account)
    },
    root: {
      charts: branchesCharts,
      handlers: { evaluate: evaluate(host, (runId) => strategies.get(runId) ?? latest) },
      inputOf: (runId, stored) => ({ branches: branchesIn(stored) ?? [], messages: readInput(runId, stored).messages }),
      toEvent: toBranchesEvent,
    },
  })
  keepGroup(core)
  keepMember(host, core)
  const bound = new Map<Bindable, BoundAgent>()
  for (const agent of agents) if (!bound.has(agent)) bound.set(agent, agent.bind({ host: core, rules: host }))
  refuseNamesakes(core, [...bound.values()])
  keepChildTools(core, ['branch'])
  for (const member of bound.values()) keepMember(core, member.core)
  members = agents.flatMap((agent) => bound.get(agent)?.core ?? [])
  tellWhenCancelled(core)
  core.watchers.listen((event) => event.type === 'run.ended' && strategies.delete(event.runId))
  return {
    agents,
    core,
    members,
    judgeBy: (strategy, runId) => {
      if (runId === undefined) latest = strategy
      else strategies.set(runId, strategy)
    },
    close: async () => {
      await core.openRuns.close(Promise.resolve())
      for (const member of bound.values()) await member.close()
    },
  }
}

function toolsOf(table: ToolTable): OwnTools {
  return {
    open: () => undefined,
    find: async (name) => table.get(name),
    known: table,
    own: table,
    failure: undefined,
    close: async () => {},
    forTurn: () => table,
    inRound: () => table,
    asOfNow: (name) => table.get(name),
  }
}

const mostCharacters = 80

/** Another strategy by code is another name, because a process may drive a group only if it has that code. */
function nameOf(agents: readonly Bindable[], strategy: Strategy): string {
  const whole = `${agents.map(({ name }) => name).join('+')} ${kindOf(strategy)}`
  if (whole.length <= mostCharacters) return whole
  return `${whole.slice(0, mostCharacters)} ${hashText(whole)}`
}

/** Returns the name of a strategy. */
export function kindOf(strategy: Strategy): string {
  if (typeof strategy === 'string') return strategy
  return typeof strategy === 'function' ? 'function' : 'judge'
}
