import { isDeepStrictEqual } from 'node:util'
import { standingOf, storedFacts } from '../../src/core/driving/run-result.ts'
import type { Store, StoredRun } from '../../src/core/ports/store.ts'
import { messagesOf, type PlayedRun, storedOf } from './played-run.ts'

/** A run that goes on begins with all messages of the run it goes on from. */
export function carriedFaults(run: StoredRun, { original }: PlayedRun): readonly string[] {
  if (original === undefined) return []
  const begun = messagesOf(run).slice(0, original.messages.length)
  return isDeepStrictEqual(begun, original.messages) ? [] : [`${run.record.id} does not begin as ${original.id} ended`]
}

/** Nothing of a run that was gone on from has changed since. */
export async function originalFaults(runs: readonly PlayedRun[], store: Store): Promise<readonly string[]> {
  const faults: string[] = []
  for (const { original } of runs) {
    if (original === undefined || isDeepStrictEqual(await storedOf(original.id, store), original.stored)) continue
    faults.push(`${original.id} changed after it was gone on from`)
  }
  return faults
}

/** No store holds a prompt that a filter refused. */
export async function keptFaults(run: StoredRun, { prompt }: PlayedRun, store: Store): Promise<readonly string[]> {
  const { id } = run.record
  if (standingOf(id, storedFacts(run)).rejection === undefined) return []
  const checkpoints = await store.checkpoints(id)
  const states = await Promise.all(checkpoints.map(({ version }) => store.checkpoint(id, version)))
  const isKept = JSON.stringify([await storedOf(id, store), states]).includes(prompt.text)
  return isKept ? [`the store holds "${prompt.text}", which a filter refused`] : []
}
