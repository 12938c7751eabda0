import type { Store } from '../../src/core/ports/store.ts'
import type { Journal } from '../support/journal.ts'
import { judgeRun } from '../support/judge-run.ts'
import type { Outcome, Raced } from './orders.ts'

/** Gives both processes an order for one moment and waits for what came of it. */
export type Race = (first: Raced, second: Raced, runId: string) => Promise<readonly [Outcome, Outcome]>

/** The findings of a round, and how often each of the two was refused. */
export interface RoundResult {
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  readonly wrong: readonly string[]
  readonly refusedDrives: number
}

/** One run: both start it, both decide it while both drive it, with the same answer or with contradicting ones. */
export async function playRound(race: Race, store: Store, journal: Journal, round: number): Promise<RoundResult> {
  const runId = `round-${round}`
  const answers = decisionsOf(round)
  const wrong: string[] = []
  const started = await race('start', 'start', runId)
  if (started.filter(({ drive }) => drive === 'run_exists').length !== 1)
    wrong.push(`Start ended with ${say(started)}.`)
  const decided = await race(...answers, runId)
  const received = decided.map(({ answer }) => answer ?? 'nothing').toSorted()
  const expected = ['applied', answers[0] === answers[1] ? 'duplicate' : 'stale']
  if (received.join() !== expected.join()) wrong.push(`Decisions were answered ${received.join(' and ')}.`)
  if (!decided.every(({ drive }) => isFair(drive))) wrong.push(`Drives ended with ${say(decided)}.`)
  const finished = await race('drive', 'drive', runId)
  if (!finished.every(({ drive }) => isFair(drive))) wrong.push(`Last drives ended with ${say(finished)}.`)
  const { lost, doubled } = await judgeRun(store, journal, runId)
  const refusedDrives = [...decided, ...finished].filter(({ drive }) => drive === 'run_is_driven').length
  return { lost, doubled, wrong: wrong.map((sentence) => `Run ${runId}: ${sentence}`), refusedDrives }
}

function decisionsOf(round: number): readonly ['approve' | 'deny', 'approve' | 'deny'] {
  const pairs = [
    ['approve', 'approve'],
    ['approve', 'deny'],
    ['deny', 'approve'],
    ['deny', 'deny'],
  ] as const
  return pairs[round % pairs.length] ?? pairs[0]
}

/** A drive ends at rest, or is sent away because the other process drives. */
function isFair(drive: Outcome['drive']): boolean {
  return drive === 'done' || drive === 'waiting' || drive === 'run_is_driven'
}

function say(outcomes: readonly Outcome[]): string {
  return outcomes.map(({ drive }) => drive).join(' and ')
}
