import type { StoredDecision } from '../domain/inbox.ts'
import type { Store } from '../ports/store.ts'
import { type RunStanding, standingOf, storedFacts } from './run-result.ts'

/** The standing of a run by what is stored, with the decisions about its calls. */
export interface StoredStanding<Output = unknown> extends RunStanding<Output> {
  /** Every decision stored for the run, the oldest first, taken in by its driver or not. */
  readonly decisions: readonly CallDecision[]
}

/** Who decided what about a call, when and why. */
export type CallDecision = Pick<StoredDecision, 'decisionId' | 'callId' | 'action' | 'by' | 'reason' | 'at'>

/** Reads how a stored run stands. */
export async function storedStanding(store: Store, runId: string): Promise<StoredStanding> {
  const standing = await standingIn(store, runId)
  const rows = await store.decisions(runId)
  return { ...standing, decisions: rows.flatMap(({ item }) => (item.kind === 'decision' ? told(item.decision) : [])) }
}

/** The same without the decisions. */
export async function standingIn(store: Store, runId: string): Promise<RunStanding> {
  return standingOf(runId, storedFacts(await store.read(runId)))
}

function told({ decisionId, callId, action, by, reason, at }: StoredDecision): CallDecision {
  const why = { ...(by === undefined ? {} : { by }), ...(reason === undefined ? {} : { reason }) }
  return { decisionId, callId, action, ...why, at }
}
