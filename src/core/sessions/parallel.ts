import { branchesIn } from '../domain/branch-group.ts'
import type { StoredSession } from '../domain/session-state.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { givenDetails, type GoingOn } from '../driving/plan-run.ts'
import { inputOf } from '../driving/read-prompt.ts'
import { checkUndriven } from '../driving/start-run.ts'
import { beginGroup, type GroupOf } from './begin-group.ts'
import type { BegunRun } from './begin-run.ts'
import type { ParallelOptions } from './session.ts'
import { readAfter, refuseAnswered } from './session-place.ts'
import { readSession, type SessionPlace } from './stored-session.ts'

/** A group that was stored or found, with what drives it. */
interface BegunGroup extends BegunRun, Pick<ParallelOptions, 'signal'> {
  readonly core: AgentCore
  readonly drive: boolean
}

/** Stores a group of branches of a session, or finds the open one. */
export async function beginParallel(
  place: SessionPlace,
  agents: readonly unknown[],
  { prompt, strategy, ifExists = 'refuse', signal, drive = true, ...details }: ParallelOptions,
  groupOf: GroupOf,
): Promise<BegunGroup> {
  checkUndriven(drive, signal)
  const group = await groupOf(agents, strategy)
  const { core, members } = group
  const open = ifExists === 'attach' ? await openGroup(place) : undefined
  if (open !== undefined) await refuseOthers(core, open, members.length)
  const input = prompt === undefined ? { messages: [] } : inputOf(prompt, core)
  const from = async (session: StoredSession): Promise<GoingOn | undefined> => {
    const original = await readAfter(place.core, session, { after: undefined, ended: undefined })
    if (prompt === undefined) refuseAnswered(session.id, original?.log ?? [])
    return original && { original, continuation: { kind: 'default' } }
  }
  const wanted = { core, members, strategy: group.strategy, input, given: givenDetails(details), drive, from }
  const begun = open === undefined ? await beginGroup(place, wanted) : { id: open, lease: undefined }
  group.judgeBy(strategy, begun.id)
  return { core, drive, ...begun, ...(signal === undefined ? {} : { signal }) }
}

async function openGroup(place: SessionPlace): Promise<string | undefined> {
  const { active } = await readSession(place)
  const isGroup = active !== undefined && branchesIn(await place.core.store.input(active.runId)) !== undefined
  return isGroup ? active.runId : undefined
}

async function refuseOthers({ store, name }: AgentCore, runId: string, size: number): Promise<void> {
  const { agent } = await store.record(runId)
  if (agent === name && branchesIn(await store.input(runId))?.length === size) return
  const wish = 'Give the agents and the kind of strategy that it was begun with, or wait for its end.'
  throw new UsageError('bad_branches', `Group "${runId}" has other agents or another strategy. ${wish}`)
}
