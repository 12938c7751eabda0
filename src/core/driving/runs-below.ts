import type { CallRecord } from '../domain/call.ts'
import { begunChild, childIdOf, familyIn } from '../domain/family-link.ts'
import { ifReadable } from '../domain/store-error.ts'
import type { Store } from '../ports/store.ts'
import { nextSpeechOf } from './worker-of.ts'

/**
 * Returns the ids of the stored runs that work for a run: its children, the runs that each run has handed its conversation
 * over to outside sessions, and all runs below these. What cannot be read is left out.
 */
export async function runsBelow(store: Store, runId: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const { record } of (await ifReadable(store.calls(runId))) ?? []) {
    const child = childOfCall(runId, record)
    if (child === undefined || familyIn(await ifReadable(store.input(child)))?.parentRunId !== runId) continue
    found.push(child, ...(await runsBelow(store, child)))
  }
  const next = await ifReadable(nextSpeechOf(store, runId))
  return next === undefined ? found : [...found, next, ...(await runsBelow(store, next))]
}

/** Returns the child of a call. The result of a cancelled call names none, and neither do its steps. */
export function childOfCall(runId: string, call: CallRecord): string | undefined {
  return (
    call.result?.childRunId ?? begunChild(call) ?? (call.status === 'cancelled' ? childIdOf(runId, call) : undefined)
  )
}
