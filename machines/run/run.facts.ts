import type { DecisionHead } from '../tool-call/tool-call.types.ts'
import type { CallEntry, Limit, Phase, RunContext } from './run.types.ts'

export function entriesOf(context: RunContext): readonly CallEntry[] {
  return Object.values(context.calls)
}

export function isWatched({ options }: RunContext, phase: Phase): boolean {
  return options.watched.includes(phase)
}

export function hasOpenCalls(context: RunContext): boolean {
  return entriesOf(context).some((entry) => entry.status !== 'settled')
}

function isSuspended(context: RunContext): boolean {
  return entriesOf(context).some((entry) => entry.status === 'suspended')
}

function isActive(context: RunContext): boolean {
  return entriesOf(context).some((entry) => entry.status === 'active')
}

function entriesOfRound({ round, calls }: RunContext): readonly CallEntry[] {
  return round.batches.flat().flatMap((callId) => calls[callId] ?? [])
}

/** The current batch is over when each of its calls has come out once and none runs beside it. */
export function isBatchOver(context: RunContext): boolean {
  const { round, calls } = context
  const batch = round.batches[round.batch] ?? []
  const isOut = (callId: string) => round.firsts[callId] !== undefined || calls[callId]?.status === 'settled'
  return batch.every(isOut) && !isExecutorBusy(context)
}

/** Replays count as busy only where the executor would run nothing beside them. */
function isExecutorBusy(context: RunContext): boolean {
  const last = context.round.batch >= context.round.batches.length - 1
  return !last && isActive(context)
}

function isLastBatch({ round }: RunContext): boolean {
  return round.batch >= round.batches.length - 1
}

/** A suspension no decision has answered stops a sequential or batched round. */
function isRoundStopped(context: RunContext): boolean {
  if (!context.options.executor.stopsOnSuspension) return false
  return entriesOfRound(context).some((entry) => entry.status === 'suspended')
}

export function isRoundOver(context: RunContext): boolean {
  return isBatchOver(context) && isLastBatch(context)
}

export function mustSkipRest(context: RunContext): boolean {
  return isRoundStopped(context) && !isLastBatch(context)
}

interface Conflict {
  readonly path: string
  readonly calls: readonly [string, string]
}

/** Two calls that share one view of the state and ask to change one path of it; replays never conflict. */
export function findConflict(context: RunContext): Conflict | undefined {
  const owned: { path: string; callId: string }[] = []
  for (const { callId, paths, isReplay } of entriesThatShareState(context)) {
    if (isReplay) continue
    for (const path of paths) {
      const other = owned.find((owner) => owner.callId !== callId && overlaps(path, owner.path))
      if (other !== undefined) return { path, calls: [other.callId, callId] }
      owned.push({ path, callId })
    }
  }
  return undefined
}

/** Parallel calls see the state of the round's start, others that of their batch's start. */
export function entriesThatShareState(context: RunContext): readonly CallEntry[] {
  if (context.options.executor.batchSize === null) return entriesOfRound(context)
  const batch = context.round.batches[context.round.batch] ?? []
  return batch.flatMap((callId) => context.calls[callId] ?? [])
}

/** The empty path is the whole document. */
function overlaps(left: string, right: string): boolean {
  if (left === '' || right === '') return true
  return left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`)
}

export function hasConflict(context: RunContext): boolean {
  return isBatchOver(context) && findConflict(context) !== undefined
}

/** Decisions that answer the suspension their call is in. */
export function fitting(context: RunContext): readonly DecisionHead[] {
  return context.decisions.filter(({ callId, suspensionId }) => {
    const entry = context.calls[callId]
    return entry?.status === 'suspended' && entry.suspension?.id === suspensionId
  })
}

/** Decisions whose call is suspended and may start beside what runs now. */
export function applicable(context: RunContext): readonly DecisionHead[] {
  const order = Object.keys(context.calls)
  const ready = fitting(context).toSorted((left, right) => order.indexOf(left.callId) - order.indexOf(right.callId))
  const busy = entriesOf(context).filter((entry) => entry.status === 'active')
  return ready.filter(({ callId, action }) => {
    const entry = context.calls[callId]
    if (action === 'cancel' || entry === undefined) return true
    if (!mayRunBeside(context, [entry], busy)) return false
    busy.push(entry)
    return true
  })
}

/** Whether calls may start while others run, as the executor and exclusive tools have it. */
export function mayRunBeside(
  { options }: RunContext,
  starting: readonly CallEntry[],
  busy: readonly CallEntry[],
): boolean {
  if (busy.length === 0) return true
  return options.executor.batchSize === null && ![...starting, ...busy].some((entry) => entry.isExclusive)
}

export function hasApplicable(context: RunContext): boolean {
  return applicable(context).length > 0
}

/** Whether decisions go to their calls while inference or tools are in flight. */
export function appliesAtOnce(context: RunContext): boolean {
  return context.options.decisions === 'immediate' && hasApplicable(context)
}

/** The gate replays while a decision can be handed on or a call is on its way to its result. */
export function mustReplay(context: RunContext): boolean {
  return isActive(context) || hasApplicable(context)
}

export function isReplayOver(context: RunContext): boolean {
  return !mustReplay(context)
}

export function hasUnpublished(context: RunContext): boolean {
  return entriesOf(context).some((entry) => entry.status === 'settled')
}

const blockingReasons = ['interrupted', 'service', 'permission', 'subAgent']

/** The waiting rule (requirement RUN-03), in its three cases: the round, the gate, an ending. */
export function mustWait(context: RunContext): boolean {
  if (!isSuspended(context)) return false
  const { options, ending, isResumed } = context
  if (ending !== null || isResumed || options.onPartialSuspension === 'wait') return true
  if (reachesLimit(context, 'finish')) return true
  return hasBlockingCall(context) || isRoundSuspended(context)
}

function hasBlockingCall(context: RunContext): boolean {
  return entriesOf(context).some(({ status, suspension, waits, isHold }) => {
    if (status === 'suspended' && isHold) return true
    if (status !== 'suspended' || suspension === null || !blockingReasons.includes(suspension.reason)) return false
    return suspension.reason === 'interrupted' || suspension.reason === 'permission' || waits
  })
}

/** Every call gated in the round suspended at its first outcome, whatever a decision made of it since. */
function isRoundSuspended({ round, calls }: RunContext): boolean {
  const firsts = Object.values(round.firsts)
  const isOneLeft = round.batches.flat().some((callId) => calls[callId]?.status === 'suspended')
  return isOneLeft && firsts.every((first) => first === 'suspended')
}

/** A cancelled or failed run ends once none of its calls is open. */
export function mustSettle(context: RunContext): boolean {
  const { outcome } = context
  return (outcome?.reason === 'cancelled' || outcome?.reason === 'error') && hasOpenCalls(context)
}

export function newEntries(context: RunContext): readonly CallEntry[] {
  return entriesOf(context).filter((entry) => entry.status === 'new')
}

/** False for every call of a round that has to wait for a replay before it starts. */
export function isInFirstBatch({ round }: RunContext, callId: string): boolean {
  return round.batches[round.batch]?.includes(callId) === true
}

/** Calls of the current batch that nobody has cancelled before their turn. */
export function currentBatch({ round, calls }: RunContext): readonly string[] {
  return (round.batches[round.batch] ?? []).filter((callId) => calls[callId]?.status === 'new')
}

function openCallIds(context: RunContext): readonly string[] {
  return entriesOf(context)
    .filter((entry) => entry.status !== 'settled')
    .map((entry) => entry.callId)
}

/** The calls an ending takes with it; a wait or a natural end takes none. */
export function callIdsToCancel(context: RunContext): readonly string[] {
  return mustSettle(context) ? openCallIds(context) : []
}

export function isUnheardAtEnd({ ending, isUnheard }: RunContext): boolean {
  return ending?.reason === 'natural_end' && isUnheard
}

/** The first limit reached, in the order given. */
export function reachedLimit(context: RunContext): Limit | undefined {
  return context.options.limits.find((limit) => consumed(context, limit) >= limit.max)
}

function consumed(context: RunContext, { code }: Limit): number {
  switch (code) {
    case 'max_turns':
    case 'max_tool_interactions':
      return context.turn
    case 'max_tokens':
      return context.usage.totalTokens
    case 'max_duration':
      return context.elapsedMs
    case 'max_cost':
      return context.cost
  }
}

export function reachesLimit(context: RunContext, action: Limit['action']): boolean {
  return reachedLimit(context)?.action === action
}

export function hasCalls({ answer }: RunContext): boolean {
  return answer !== null && answer.calls.length > 0
}

/** Any ending but `stopped` leaves the round out. */
export function skipsRound(context: RunContext): boolean {
  return hasCalls(context) && context.ending?.reason === 'plugin_requested'
}

export function isKnownCall(context: RunContext, callId: string): boolean {
  const entry = context.calls[callId]
  return entry !== undefined && entry.status !== 'settled'
}

export function isWait({ outcome }: RunContext): boolean {
  return outcome?.reason === 'suspended'
}
