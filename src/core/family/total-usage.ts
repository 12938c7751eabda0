import { addUsage, noUsage, type Usage } from '../domain/usage.ts'
import { runsBelow, runsOf } from '../driving/delete-families.ts'
import { standingIn } from '../driving/stored-standing.ts'
import type { Store } from '../ports/store.ts'

/** Returns the sum of the usage of all descendants of a run. A deleted child does not count. */
export async function usageBelow(store: Store, runId: string): Promise<Usage> {
  return sumOf(store, await runsBelow(store, runId))
}

/** Returns the usage of a child with its descendants, and of the runs to which it handed its conversation over. */
export async function usageOfChild(store: Store, runId: string): Promise<Usage> {
  return sumOf(store, await runsOf(store, runId))
}

async function sumOf(store: Store, runIds: readonly string[]): Promise<Usage> {
  let sum = noUsage
  for (const runId of runIds) sum = addUsage(sum, (await standingIn(store, runId)).usage)
  return sum
}
