import type { AgentCore } from '../driving/agent-core.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { InheritedPermissions } from '../effects/permissions/permission-parts.ts'

/** The agent that uses a sub-agent. */
export interface Lineage {
  readonly host: AgentCore
  /** The agent whose rules apply. Default: the host. */
  readonly rules?: AgentCore
  /** True if the host has judged the call that the agent performs. */
  readonly isJudged?: true
}

/** A sub-agent on the store of its host. */
export interface BoundAgent {
  readonly core: AgentCore
  /** The agent's options object. Two tools of one agent share it. */
  readonly madeOf: object
  close(): Promise<void>
}

/** Changes the options of a sub-agent that is bound to a host. */
export type ChangeMember = <Options extends object>(options: Options) => Options

/** Creates a sub-agent for a host. */
export type BindAgent = (lineage: Lineage, change?: ChangeMember) => BoundAgent

/**
 * Returns the name under which the runs of a host's member are stored: a sub-agent, a tool or a group. It differs for
 * each host, because the rules of the host apply to the runs. A slash in a tool's name becomes `%2F`, so that no two
 * members have the same name.
 */
export function memberName(host: AgentCore, name: string): string {
  return `${host.name}/${name.replaceAll('%', '%25').replaceAll('/', '%2F')}`
}

/** Returns the permissions of the levels above a sub-agent, the nearest first. */
export function inheritedBy({
  host,
  rules: { name, parts } = host,
  isJudged,
}: Lineage): readonly InheritedPermissions[] {
  if (isJudged === true) return []
  const own = parts.permissions === undefined ? [] : [{ ...parts.permissions, agent: name }]
  return [...own, ...(parts.inherited ?? [])]
}

/** Returns the rules of an agent of a family that spoke earlier in a conversation. */
export function rulesOfSpeaker(core: AgentCore, name: string): readonly InheritedPermissions[] {
  const found = memberNamed(rootOf(core), name)
  if (found === undefined) throw new Error(`The rules of agent "${name}", which spoke earlier, are unknown here.`)
  const { permissions, inherited = [] } = found.parts
  return [...(permissions === undefined ? [] : [{ ...permissions, agent: name }]), ...inherited]
}

const members = new WeakMap<AgentCore, Map<string, AgentCore>>()
const hosts = new WeakMap<AgentCore, AgentCore>()

/**
 * Rejects two sub-agents whose runs would be stored under the same name, because a driver could not distinguish them.
 */
export function refuseNamesakes(host: AgentCore, bound: readonly BoundAgent[]): void {
  const known = new Map<string, object>()
  for (const { core, madeOf } of bound) {
    const other = known.get(core.name)
    if (other !== undefined && other !== madeOf) {
      const found = `Agent "${host.name}" has two different sub-agents whose runs would be stored as "${core.name}"`
      throw new UsageError('bad_option', `${found}. Give one of them another name: createAgent({ name }).`)
    }
    known.set(core.name, madeOf)
  }
}

const handovers = new WeakMap<AgentCore, Map<string, () => AgentCore>>()
const speakers = new WeakSet<AgentCore>()

/** Records that a tool of a host hands the conversation over to another agent. */
export function keepHandover(host: AgentCore, toolName: string, target: () => AgentCore): void {
  const known = handovers.get(host) ?? new Map<string, () => AgentCore>()
  handovers.set(host, known.set(toolName, target))
}

/** Returns true for a tool that hands the conversation over. */
export function isHandover(host: AgentCore, toolName: string): boolean {
  return handovers.get(host)?.has(toolName) === true
}

/** Returns the agent to which a tool hands the conversation over, or undefined for another tool. */
export function handoverTarget(host: AgentCore, toolName: string): AgentCore | undefined {
  return handovers.get(host)?.get(toolName)?.()
}

/** Registers a member that continues its host's conversations, at the host's level. */
export function keepSpeaker(core: AgentCore): void {
  speakers.add(core)
}

/** Returns the agent that began the conversations that an agent continues, or the agent itself. */
export function beginnerOf(core: AgentCore): AgentCore {
  return speakers.has(core) ? beginnerOf(hostOf(core)) : core
}

const groups = new WeakSet<AgentCore>()

/** Records that the runs of a member are groups of branches, which begin a family at the level of their host. */
export function keepGroup(core: AgentCore): void {
  groups.add(core)
}

/** Returns the level of an agent in its family. The root is level 1. */
export function levelOf(core: AgentCore): number {
  const host = hosts.get(core)
  if (host === undefined) return 1
  return groups.has(core) || speakers.has(core) ? levelOf(host) : levelOf(host) + 1
}

/** An agent that can be bound to a host. */
export interface Bindable {
  readonly name: string
  readonly bind: BindAgent
}

const bindables = new WeakMap<object, Bindable>()

/** Records how an agent is bound to a host. */
export function keepBindable(agent: object, bindable: Bindable): void {
  bindables.set(agent, bindable)
}

/** Returns how an agent is bound to a host, or undefined for another value. */
export function bindableOf(agent: unknown): Bindable | undefined {
  return typeof agent === 'object' && agent !== null ? bindables.get(agent) : undefined
}

const tools = new WeakMap<AgentCore, ReadonlySet<string>>()
const inBackground = new WeakSet<AgentCore>()

/** Records the names of the tools whose calls are runs, and whether one of these tools works in the background. */
export function keepChildTools(host: AgentCore, names: readonly string[], hasWork = false): void {
  tools.set(host, new Set(names))
  if (hasWork) inBackground.add(host)
}

/** Returns true for the name of a tool whose calls are runs of their own. */
export function isChildTool(host: AgentCore, name: string): boolean {
  return tools.get(host)?.has(name) === true
}

/** Returns true if an agent or one of its sub-agents has background calls. */
export function hasBackground(host: AgentCore): boolean {
  return membersOf(host).some((member) => inBackground.has(member))
}

/** Records a sub-agent of a host, so that workers and answers find it. */
export function keepMember(host: AgentCore, member: AgentCore): void {
  const known = members.get(host) ?? new Map<string, AgentCore>()
  known.set(member.name, member)
  members.set(host, known)
  hosts.set(member, host)
}

/** Returns an agent and every sub-agent below it. */
export function membersOf(core: AgentCore): readonly AgentCore[] {
  return [core, ...[...(members.get(core)?.values() ?? [])].flatMap(membersOf)]
}

/** Returns the agent that no other agent uses, from any agent of its family. */
export function rootOf(core: AgentCore): AgentCore {
  const host = hosts.get(core)
  return host === undefined ? core : rootOf(host)
}

/** Returns the agent that uses an agent. */
export function hostOf(core: AgentCore): AgentCore {
  const host = hosts.get(core)
  if (host === undefined) throw new Error(`Agent "${core.name}" works for no other agent.`)
  return host
}

/** Returns true for an agent with sub-agents. */
export function isParent(core: AgentCore): boolean {
  return members.has(core)
}

/** Returns the member of a family by the name under which its runs are stored. */
export function memberNamed(core: AgentCore, name: string): AgentCore | undefined {
  return membersOf(core).find((member) => member.name === name)
}
