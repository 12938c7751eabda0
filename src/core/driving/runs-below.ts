import type { CallRecord } from '../domain/call.ts'
import { begunChild, childIdOf, familyIn } from '../domain/family-link.ts'
import { ifReadable } from '../domain/store-error.ts'
import type { Store } from '../ports/store.ts'
import { nextSpeechOf } from './worker-of.ts'

/** Returns the ids of the stored runs below a run: its children, and the runs of these. What cannot be read is left out. */
export async function runsBelow(store: Store, runId: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const { record } of (await ifReadable(store.calls(runId))) ?? []) {
    const child = childOfCall(runId, record)
    if (child !== undefined && familyIn(await ifReadable(store.input(child)))?.parentRunId === runId)
      found.push(...(await runsOf(store, child)))
  }
  return found
}

/** Returns a run, all runs below it, and those of the run that it has handed its conversation over to outside sessions. */
export async function runsOf(store: Store, runId: string): Promise<readonly string[]> {
  const next = await ifReadable(nextSpeechOf(store, runId))
  return [runId, ...(await runsBelow(store, runId)), ...(next === undefined ? [] : await runsOf(store, next))]
}

/** The result of a cancelled call names no child, and neither do its steps. */
function childOfCall(runId: string, call: CallRecord): string | undefined {
  return (
    call.result?.childRunId ?? begunChild(call) ?? (call.status === 'cancelled' ? childIdOf(runId, call) : undefined)
  )
}
