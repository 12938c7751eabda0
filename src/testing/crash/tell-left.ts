import { createAgent } from '../../core/agent/create-agent.ts'
import type { Store } from '../../core/ports/store.ts'
import { CommittedLog } from './committed-log.ts'
import { type EnvironmentState, TrialEnvironment } from './crash-environment.ts'
import type { CrashProblem } from './crash-problem.ts'
import type { CrashScenario } from './crash-scenario.ts'
import { Interleaver } from './interleaving.ts'
import { MortalProcess } from './mortal-process.ts'
import { listOutgoing } from '../../core/driving/list-outgoing.ts'

/** A time that is longer than the reservation of an outgoing item. */
const leftMs = 60_000

/**
 * Starts one more process that sends the memory's outgoing items a dead process left unsent; returns a problem for each
 * item that is still unsent.
 */
export async function tellLeft(
  { build }: CrashScenario,
  store: Store,
  state: EnvironmentState,
): Promise<readonly CrashProblem[]> {
  const interleaver = new Interleaver({ order: [], effectAt: 'end' })
  const environment = new TrialEnvironment(state, new MortalProcess(), interleaver, new CommittedLog('left'))
  const { clock, ids } = state
  clock.advance(leftMs)
  await createAgent({ ...build(environment), store, clock, ids }).close()
  const rows = await listOutgoing(store)
  return rows.flatMap(({ id, state: standing }): readonly CrashProblem[] => {
    if (standing === 'sent') return []
    return [{ kind: 'lost', message: `What was left for the memory as "${id}" is ${standing}.` }]
  })
}
