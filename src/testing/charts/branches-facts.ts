import type { CallStatus } from '../../core/domain/call.ts'
import type { Happening, Move } from './exploration-types.ts'

/** The past of a group, recorded apart from its chart. */
export interface BranchesFacts {
  /** The status of each branch's call, in the order of the branches. */
  readonly calls: { readonly [callId: string]: CallStatus }
  /** The number of suspensions of each call. */
  readonly suspensions: { readonly [callId: string]: number }
  /** The call with a kept decision that was not used. */
  readonly kept: { readonly [callId: string]: 'resume' | 'cancel' }
  /** The first of them that ended the group. */
  readonly ended: 'cancelled' | 'error' | null
  /** The call that the strategy selected; null before that. */
  readonly evaluated: string | null
  /** The kinds of the messages to the group, in their order, without those for the transcript alone. */
  readonly said: readonly string[]
  readonly posted: number
}

/** Returns the facts of a group that has not begun. */
export function factsAtStart(size: number): BranchesFacts {
  const ids = Array.from({ length: size }, (_, place) => `branch.${place + 1}`)
  const calls = Object.fromEntries(ids.map((id) => [id, 'running' as const]))
  return { calls, suspensions: {}, kept: {}, ended: null, evaluated: null, said: [], posted: 0 }
}

/** Returns the facts after a move. */
export function factsAfter(
  was: BranchesFacts,
  move: Move | undefined,
  happenings: readonly Happening[],
): BranchesFacts {
  let facts = withMove(was, move)
  for (const happening of happenings) {
    if (happening.kind !== 'hop') continue
    const { callId, to } = happening
    const { [callId]: count = 0 } = facts.suspensions
    const { [callId]: used, ...kept } = facts.kept
    facts = {
      ...facts,
      calls: { ...facts.calls, [callId]: to },
      ...(to === 'suspended' ? { suspensions: { ...facts.suspensions, [callId]: count + 1 } } : {}),
      ...(used !== undefined && to !== 'suspended' ? { kept } : {}),
    }
  }
  return facts
}

function withMove(was: BranchesFacts, move: Move | undefined): BranchesFacts {
  if (isDone(was)) return was
  switch (move?.type) {
    case 'cancelRun':
      return { ...was, ended: was.ended ?? 'cancelled' }
    case 'fail':
      return { ...was, ended: 'error' }
    case 'say':
      return move.kind === 'extension'
        ? { ...was, posted: was.posted + 1 }
        : { ...was, said: [...was.said, `${move.kind} ${move.count}`] }
    case 'decide':
      return move.answers === 'first' && was.calls[move.callId] === 'running'
        ? { ...was, kept: { ...was.kept, [move.callId]: move.action } }
        : was
    case 'complete':
      return move.src === 'evaluate' ? { ...was, evaluated: winnerOf(was, move.outcome) } : was
    case 'cancelCall':
    case 'wake':
    case undefined:
      return was
  }
}

/** Returns the call that must win if the strategy gives an outcome: one that may not win leaves it to the first that may. */
function winnerOf(facts: BranchesFacts, outcome: string): string | null {
  const candidates = candidatesOf(facts)
  return (outcome === 'last' ? candidates.at(-1) : candidates[0]) ?? null
}

/** Returns the calls of the branches that may win. */
export function candidatesOf({ calls }: BranchesFacts): readonly string[] {
  return Object.keys(calls).filter((id) => calls[id] === 'succeeded')
}

/** Returns true if the call of a branch has not ended. */
export function isOpenCall(status: CallStatus | undefined): boolean {
  return status !== 'succeeded' && status !== 'failed' && status !== 'cancelled'
}

/** Returns the top-level state in which the chart must be. */
export function expectedTop(facts: BranchesFacts): 'running' | 'waiting' | 'evaluating' | 'done' {
  const statuses = Object.values(facts.calls)
  if (!statuses.some(isOpenCall)) return isDone(facts) ? 'done' : 'evaluating'
  const isBusy = facts.ended !== null || statuses.some((status) => isOpenCall(status) && status !== 'suspended')
  return isBusy ? 'running' : 'waiting'
}

/** Returns true if the group must have ended. */
export function isDone(facts: BranchesFacts): boolean {
  if (Object.values(facts.calls).some(isOpenCall)) return false
  return facts.ended !== null || facts.evaluated !== null || candidatesOf(facts).length === 0
}
