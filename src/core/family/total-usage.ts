import { familyIn } from '../domain/family-link.ts'
import { addUsage, noUsage, type Usage } from '../domain/usage.ts'
import { childOfCall } from '../driving/runs-below.ts'
import { standingIn } from '../driving/stored-standing.ts'
import { nextSpeechOf } from '../driving/worker-of.ts'
import type { Store } from '../ports/store.ts'
import { storedInput } from './deliver-ends.ts'

/** Returns the sum of the usage of all descendants of a run. A child that was deleted counts nothing. */
export async function usageBelow(store: Store, runId: string): Promise<Usage> {
  let sum = noUsage
  for (const { record } of await store.calls(runId)) {
    const child = childOfCall(runId, record)
    if (child === undefined || familyIn(await storedInput(store, child))?.parentRunId !== runId) continue
    sum = addUsage(sum, await usageOfChild(store, child))
  }
  return sum
}

/** Returns the usage of a child with its descendants, and of the runs that it handed its conversation over to. */
export async function usageOfChild(store: Store, runId: string): Promise<Usage> {
  const { usage, outcome } = await standingIn(store, runId)
  const sum = addUsage(usage, await usageBelow(store, runId))
  const next = outcome?.code === 'handed_over' ? await nextSpeechOf(store, runId) : undefined
  return next === undefined ? sum : addUsage(sum, await usageOfChild(store, next))
}
