import { familyIn, rootIdOf } from '../domain/family-link.ts'
import type { UserMessage } from '../domain/message.ts'
import type { JsonObject } from '../domain/text/json.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { isWell, lateResults } from '../driving/late-results.ts'
import { accountIn } from '../family/run-account.ts'
import { beginUnasked } from '../sessions/begin-run.ts'
import { readAfter } from '../sessions/session-place.ts'

/**
 * Stores the next run of a session, which begins with the results of finished background work. Nothing is stored if no
 * result waits, or if the last run did not end well. Returns false if a run of the session is under way.
 */
export async function beginForResults(core: AgentCore, sessionId: string): Promise<boolean> {
  const { isBusy } = await beginUnasked(core, sessionId, async (session) => {
    const original = await readAfter(core, session, { after: undefined, ended: undefined })
    if (original === undefined || !isWell(original.record.doneReason)) return undefined
    const [result] = await lateResults(core.store, original)
    if (result === undefined) return undefined
    return { original, continuation: { kind: 'default' }, facts: { family: await familyOfWork(core, result) } }
  })
  return !isBusy
}

/** Returns the family that began the work of a result, whose account is charged. */
async function familyOfWork({ store }: AgentCore, { background }: UserMessage): Promise<JsonObject> {
  const childRunId = background?.childRunId ?? ''
  const runId = familyIn(await store.input(childRunId))?.parentRunId ?? childRunId
  const input = await store.input(runId)
  const account = accountIn(runId, input, true)
  return { root: rootIdOf(runId, input), ...(account && { account: account.root }) }
}
