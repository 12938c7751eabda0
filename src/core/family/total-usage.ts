import type { CallRecord } from '../domain/call.ts'
import { begunChild, childIdOf, familyIn } from '../domain/family-link.ts'
import { addUsage, noUsage, type Usage } from '../domain/usage.ts'
import { standingIn } from '../driving/stored-standing.ts'
import type { Store } from '../ports/store.ts'
import { storedInput } from './deliver-ends.ts'

/** Returns the sum of the usage of all descendants of a run. A child that was deleted counts nothing. */
export async function usageBelow(store: Store, runId: string): Promise<Usage> {
  let sum = noUsage
  for (const { record } of await store.calls(runId)) {
    const child = childOfCall(runId, record)
    if (child === undefined || familyIn(await storedInput(store, child))?.parentRunId !== runId) continue
    const { usage } = await standingIn(store, child)
    sum = addUsage(addUsage(sum, usage), await usageBelow(store, child))
  }
  return sum
}

/** The result of a cancelled call names no child, and neither do its steps. */
function childOfCall(runId: string, call: CallRecord): string | undefined {
  return (
    call.result?.childRunId ?? begunChild(call) ?? (call.status === 'cancelled' ? childIdOf(runId, call) : undefined)
  )
}
