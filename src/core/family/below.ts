import type { AgentCore } from '../driving/agent-core.ts'
import { addUsage } from '../domain/usage.ts'
import type { RunStanding } from '../driving/run-result.ts'
import { hasBackground, isParent } from './lineage.ts'

/** The functions of a family are loaded by an agent with sub-agents alone. */
const load = () => import('./route.ts')

/** Replaces calls that wait for members by the members' questions, and adds the members' usage and late results. */
export async function withMembers<Standing extends RunStanding>(
  core: AgentCore,
  standing: Standing,
): Promise<Standing> {
  // A process that does not have a group's agents lists the questions of its branches.
  const waits = standing.suspended.some(({ suspension }) => suspension?.reason === 'subAgent')
  if (!isParent(core) && !waits) return standing
  const { store } = core
  const { withQuestions, usageBelow } = await load()
  const totalUsage = addUsage(standing.usage, await usageBelow(store, standing.runId))
  const named = await withQuestions(store, { ...standing, totalUsage })
  if (standing.status !== 'done' || !hasBackground(core)) return named
  return (await import('./background-work.ts')).withLateResults(store, named)
}

/** Makes the calls of a run check their children before the run is driven. */
export async function lookBelow(core: AgentCore, runId: string): Promise<void> {
  if (isParent(core) || core.parts.inherited !== undefined) await (await load()).lookAtChildren(core, runId)
}

/** Reports the end of a member to its parent, and the cancel of a run's calls to their children. */
export async function tellOthers(core: AgentCore): Promise<void> {
  if (isParent(core) || core.parts.inherited !== undefined) await (await load()).tellFamily(core)
}
