import { compactionWish } from '../domain/compaction-wish.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { createEndedRun } from '../driving/create-run.ts'
import type { Original } from '../driving/go-on.ts'
import { planRun } from '../driving/plan-run.ts'
import { readOriginal, type ReadRun, refuseUnlessDone } from '../driving/read-original.ts'
import { otherAgent } from '../driving/run-driving.ts'
import { keepTranscript, type TakenTranscript } from './keep-transcript.ts'
import { checkedBeginning } from './session-beginning.ts'
import { readAfter } from './session-place.ts'
import { changing, refuseWhileActive, type SessionPlace } from './stored-session.ts'

/** Stores the request for a smaller prompt as a finished run after a finished run, and returns its id. */
export async function compactAfter(given: AgentCore, original: Original): Promise<string> {
  const { successor: core = given } = given
  core.openRuns.refuseIfClosed()
  const { id, adopts, ended } = original
  const { session } = await core.store.record(id)
  if (session !== undefined) {
    const place: SessionPlace = { core, id: session, begun: checkedBeginning({}), adopts }
    return changing(place, async (stored, taken) => {
      refuseWhileActive(stored)
      const read = await readAfter(core, stored, { after: id, ended })
      return read && keepWish(core, { session: stored, taken, original: read })
    })
  }
  const read = await readOriginal(core, id, ended)
  if (read.record.agent !== core.name && !adopts) throw otherAgent(id, read.record.agent, core.name)
  refuseUnlessDone(read.record)
  return wishAfter(core, read)
}

/** Stores a request for a smaller prompt as the last run of a session, and returns its id. */
export function keepWish(
  core: AgentCore,
  after: Required<Pick<TakenTranscript, 'session' | 'taken' | 'original'>>,
): Promise<string> {
  return keepTranscript(core, { origin: 'compacted', ...after, messages: [compactionWish(core.clock.now())] })
}

async function wishAfter(core: AgentCore, original: ReadRun): Promise<string> {
  const id = core.ids.next('run')
  const input = { options: core.runOptions(), messages: [] }
  const given = { details: {}, history: undefined }
  const planned = planRun(core, { id, ...input, given }, { original, continuation: { kind: 'default' } })
  await createEndedRun(core, planned, [compactionWish(core.clock.now())])
  return id
}
