import type { AgentCore } from '../driving/agent-core.ts'
import type { PermissionParts } from '../effects/permissions/permission-parts.ts'

/** The agent that a sub-agent works for. */
export interface Lineage {
  readonly host: AgentCore
}

/** A sub-agent on the store of its host. */
export interface BoundAgent {
  readonly core: AgentCore
  close(): Promise<void>
}

/** Creates a sub-agent for a host. */
export type BindAgent = (lineage: Lineage) => BoundAgent

/** Returns the name of a sub-agent's runs. It differs for each host, because the rules of the host apply to them. */
export function memberName(host: string, name: string): string {
  return `${host}/${name}`
}

/** Returns the permissions of the levels above a sub-agent, the nearest first. */
export function inheritedBy({ host: { parts } }: Lineage): readonly PermissionParts[] {
  const own = parts.permissions === undefined ? [] : [parts.permissions]
  return [...own, ...(parts.inherited ?? [])]
}

const members = new WeakMap<AgentCore, Map<string, AgentCore>>()
const hosts = new WeakMap<AgentCore, AgentCore>()

/** Notes a sub-agent of a host, so that workers and answers find it. */
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

/** Returns true for an agent with sub-agents. */
export function isParent(core: AgentCore): boolean {
  return members.has(core)
}

/** Returns the member of a family by the name that its runs are stored under. */
export function memberNamed(core: AgentCore, name: string): AgentCore | undefined {
  return membersOf(core).find((member) => member.name === name)
}
