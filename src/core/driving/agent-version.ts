import { type CallRecord, isTerminal } from '../domain/call.ts'
import type { RunRecord } from '../domain/run-record.ts'
import { defined } from '../domain/text/json.ts'
import type { WorkStore } from '../ports/work.ts'

/** The version of an agent's code, and how its workers treat runs of other versions. */
export interface AgentVersion {
  readonly version?: string
  readonly otherVersions?: 'pin' | 'move'
}

/** Returns the version of an agent's options. */
export function versionOf(
  given: string | { readonly name: string; readonly others?: 'pin' | 'move' } | undefined,
): AgentVersion {
  if (typeof given !== 'object') return defined({ version: given })
  return defined({ version: given.name, otherVersions: given.others })
}

/** Returns the version of an agent, for a member of it. */
export function versionIn({ version, otherVersions }: AgentVersion): AgentVersion {
  return defined({ version, otherVersions })
}

/** Returns the fields of a search for work by an agent. */
export function wantedVersion({ version, otherVersions }: AgentVersion) {
  return { ...defined({ version }), moves: otherVersions === 'move' }
}

/**
 * Returns the number of runs that the workers of these agents could claim now, at most `limit`. A run that two versions
 * could claim counts twice.
 */
export async function backlogOf(
  store: Pick<WorkStore, 'backlog'>,
  cores: readonly (AgentVersion & { readonly name: string })[],
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<number> {
  let count = 0
  for (const group of Map.groupBy(cores, ({ version }) => version).values()) {
    const agents = group.map(({ name }) => name)
    count += await store.backlog({ agents, ...wantedVersion(group[0] ?? {}), now, limit })
  }
  return Math.min(count, limit)
}

/**
 * Returns the end of a sentence about a run that is reserved for another version of an agent, or undefined if it is
 * not.
 */
export function keptFor({ agent, agentVersion }: RunRecord, { version }: AgentVersion): string | undefined {
  if (agentVersion === undefined || agentVersion === version) return undefined
  const own = version === undefined ? 'this one has no version' : `this one is ${JSON.stringify(version)}`
  return `is kept for version ${JSON.stringify(agentVersion)} of the agent "${agent}", and ${own}`
}

/** Returns why the workers of an agent leave a run to another version now, with advice, or undefined if they do not. */
export function leftToVersion(record: RunRecord, calls: readonly CallRecord[], own: AgentVersion): string | undefined {
  const kept = keptFor(record, own)
  const moves = own.otherVersions === 'move'
  if (kept === undefined || (moves && calls.every(({ status }) => isTerminal(status)))) return undefined
  const worker = `Keep a worker of version ${JSON.stringify(record.agentVersion)}`
  const wish = moves ? 'until its open calls have ended' : 'or give this one version: { name, others: "move" }'
  return `It ${kept}. ${worker}${moves ? '' : ','} ${wish}.`
}
