import type { CallRecord } from '../../src/core/domain/call.ts'
import type { Run } from '../../src/core/agent/run.ts'
import { addedTokens } from './paying-family.ts'

/** A question that a run or one of its members asks. */
export interface Asked {
  /** The suspension, not the call, is what is judged: a run may go on meanwhile. */
  readonly target: string
  /** The run that asks. */
  readonly runId: string
  readonly callId: string
  readonly reason: NonNullable<CallRecord['suspension']>['reason']
}

/** Returns what a run and its members ask, at the run. */
export async function askedAt(run: Run): Promise<readonly Asked[]> {
  return (await run.result()).suspended.flatMap(({ callId: address, suspension }) => {
    if (suspension === undefined || suspension.reason === 'subAgent') return []
    const { id, reason } = suspension
    const slash = address.indexOf('/')
    if (slash < 0) return { target: id, runId: run.id, callId: address, reason }
    const runId = address.slice(0, slash)
    const target = id.startsWith(`${runId}/`) ? id : `${runId}/${id}`
    return { target, runId, callId: address.slice(slash + 1), reason }
  })
}

/** Adds to the account that asks for more. */
export async function addMore(run: Run, { target }: Asked): Promise<void> {
  await run.respond(target, addedTokens)
}
