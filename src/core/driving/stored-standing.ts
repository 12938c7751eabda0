import type { StoredDecision } from '../domain/inbox.ts'
import { carriedIn } from '../domain/carried.ts'
import type { Store } from '../ports/store.ts'
import type { DriveRest } from '../runtime/drive-options.ts'
import type { Begun } from './transcript-parts.ts'
import { winnerOf } from './read-original.ts'
import { type RunFacts, type RunStanding, standingOf, storedFacts } from './run-result.ts'

/** The stored state of a run, with the decisions about its calls. */
export interface StoredStanding<Output = unknown> extends RunStanding<Output> {
  /** All decisions stored for the run, oldest first, processed or not. */
  readonly decisions: readonly CallDecision[]
}

/** The decision about a call: the person, the time and the reason. */
export type CallDecision = Pick<StoredDecision, 'decisionId' | 'callId' | 'action' | 'by' | 'reason' | 'at'>

/** Reads the stored state of a run. */
export async function storedStanding(store: Store, runId: string): Promise<StoredStanding> {
  const standing = await standingIn(store, runId)
  const rows = await store.inbox(runId, { kinds: ['decision'] })
  return { ...standing, decisions: rows.flatMap(({ item }) => (item.kind === 'decision' ? told(item.decision) : [])) }
}

/**
 * Reads the standing of a run, with the turn and the run of each message that it continues from. `driven` is the
 * standing after a drive; by default, the run is read from the store.
 */
export async function standingIn(store: Store, runId: string, driven?: DrivenFacts): Promise<RunStanding> {
  const facts = driven && driven.isBare !== true ? driven : await readFacts(store, runId)
  const winner = await winnerOf(store, facts)
  if (winner !== undefined) return withWinner(store, standingOf(runId, facts), winner)
  if (carriedIn(facts.input) === 0) return standingOf(runId, facts)
  const { partsOfResult } = await import('./transcript-parts.ts')
  return standingOf(runId, facts, await partsOfResult(store, runId, facts))
}

type DrivenFacts = RunFacts & Begun & Partial<Pick<DriveRest, 'isBare'>>

/** Adds the winner's transcript to the state of a group of branches. */
async function withWinner(store: Store, standing: RunStanding, winner: string): Promise<RunStanding> {
  const { text, messages, output } = await standingIn(store, winner)
  return { ...standing, text, messages, ...(output === undefined ? {} : { output }) }
}

async function readFacts(store: Store, runId: string): Promise<RunFacts & Begun> {
  const stored = await store.read(runId)
  return { ...storedFacts(stored), continues: stored.continues }
}

function told({ decisionId, callId, action, by, reason, at }: StoredDecision): CallDecision {
  const why = { ...(by === undefined ? {} : { by }), ...(reason === undefined ? {} : { reason }) }
  return { decisionId, callId, action, ...why, at }
}
