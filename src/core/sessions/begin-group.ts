import { changeSession } from '../domain/session-record.ts'
import type { SessionState } from '../domain/session-state.ts'
import type { PlannedBranch } from '../domain/branch-group.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { createRun } from '../driving/create-run.ts'
import { planRun } from '../driving/plan-run.ts'
import type { Strategy } from '../ports/strategy.ts'
import { type BegunRun, idOf, nextState, ofSession, type WantedRun } from './begin-run.ts'
import { configIdOf } from './config-id.ts'
import { changing, refuseWhileActive, type SessionPlace, stateOf } from './stored-session.ts'

/**
 * Returns the functions that drive a group of these agents. Throws a `UsageError` for invalid agents or an invalid
 * strategy.
 */
export type GroupOf = (
  agents: readonly unknown[],
  strategy: Strategy,
) => Promise<{
  readonly core: AgentCore
  readonly members: readonly AgentCore[]
  readonly strategy: string
  judgeBy(strategy: Strategy, runId: string): void
}>

/** A group to begin in a session. */
export interface WantedGroup extends Pick<WantedRun, 'input' | 'given' | 'drive' | 'from'> {
  /** Drives the group. */
  readonly core: AgentCore
  /** The agents of the branches, in order. */
  readonly members: readonly AgentCore[]
  readonly strategy: string
}

const configId = 'parallel'

/** Stores a group with the session's next state, which reserves the ids of its branches, in one write. */
export async function beginGroup(place: SessionPlace, wanted: WantedGroup): Promise<BegunRun> {
  const { core, members, strategy, given } = wanted
  return changing(place, async (session, taken) => {
    refuseWhileActive(session)
    const from = await wanted.from(session)
    const own = nextState(stateOf(session), configId, taken)
    const id = idOf(own, configId)
    const [state, branches] = withBranches(own, members, taken)
    const facts = { session: session.id, index: session.runs, configId, strategy, branches }
    const details = ofSession(session, from, { labels: place.begun.labels, given: given.details })
    const input = { ...wanted.input, options: core.runOptions() }
    const planned = planRun(core, { id, ...input, given: { ...given, details }, facts }, from)
    const kept: SessionState = { ...state, runs: state.runs + 1 + members.length, lastRun: id }
    const records = [changeSession(kept, session.version, core.clock.now())]
    return { id, core, lease: await createRun(core, { ...planned, session: session.id, records }, wanted.drive) }
  })
}

/** Returns the state that has counted a run for each member, and these runs. */
function withBranches(session: SessionState, members: readonly AgentCore[], taken: number) {
  const branches: PlannedBranch[] = []
  let state = session
  for (const [place, member] of members.entries()) {
    const own = configIdOf(member)
    state = nextState(state, own, taken)
    branches.push({
      callId: `branch.${place + 1}`,
      runId: idOf(state, own),
      configId: own,
      index: session.runs + 1 + place,
    })
  }
  return [state, branches.map((branch) => ({ ...branch }))] as const
}
