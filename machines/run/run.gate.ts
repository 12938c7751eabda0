import type { DecisionHead } from '../tool-call/tool-call.types.ts'
import { hasSettledCalls, isKnownCall, mayRunBeside, streakAfter } from './run.calls.ts'
import { noEnding, planOf } from './run.ending.ts'
import { entriesIn, entriesOf, entryOf, openEntries, patchCalls, withEntries } from './run.entries.ts'
import { isTimeOver, reachedLimit, reachesLimit } from './run.limits.ts'
import { beforeCall } from './run.phases.ts'
import { isEndPutOff } from './run.queue.ts'
import type { CallEntry, CallSender, RunArgs, RunContext, RunPatch } from './run.types.ts'

interface SendArgs extends RunArgs {
  readonly enqueue: CallSender
}

/** Params that carry a decision, and when it came. */
type Received = {
  readonly decision: DecisionHead
}

/**
 * Returns true if a decision arrives before its call's first suspension and is kept until then. An event may have no
 * decision.
 */
export function isKeptDecision(args: RunArgs, { decision }: { readonly decision: DecisionHead | undefined }): boolean {
  return decision?.suspensionId === null && isKnownCall(args, decision)
}

/** Hands a decision to the call that will use it at its first suspension. */
export function keepDecision({ enqueue }: { readonly enqueue: CallSender }, { decision }: Received): void {
  enqueue.sendTo(decision.callId, { type: 'call.keep', decision })
}

/** Queues a decision. The clock of a waiting run starts with the decision that resumes it, and with no other. */
export function queueDecision({ context }: RunArgs, { decision, at }: Received & { readonly at: number }): RunPatch {
  const decisions = [...context.decisions, decision]
  const goesOn = context.since === 0 && applicable({ ...context, decisions }).includes(decision)
  return { decisions, since: goesOn ? at : context.since }
}

/** Tells calls that their suspension is decided, so that it no longer expires. */
export function tellDecided({ context, enqueue }: SendArgs): void {
  for (const { callId } of fitting(context)) enqueue.sendTo(callId, { type: 'call.decided' })
}

/** Decisions that answer the suspension their call is in. */
function fitting(context: RunContext): readonly DecisionHead[] {
  return context.decisions.filter(({ callId, suspensionId }) => {
    const entry = entryOf(context, callId)
    return entry?.status === 'suspended' && entry.suspension?.id === suspensionId
  })
}

/** Decisions whose call is suspended and may start alongside the running calls, in the order of the calls. */
function applicable(context: RunContext): readonly DecisionHead[] {
  // Checked after every event; usually there is no decision.
  if (context.decisions.length === 0) return []
  const order = Object.keys(context.calls)
  const ready = fitting(context).toSorted((left, right) => order.indexOf(left.callId) - order.indexOf(right.callId))
  const busy = [...entriesIn(context, 'active')]
  return ready.filter(({ callId, action }) => {
    const entry = entryOf(context, callId)
    if (action === 'cancel' || entry === undefined) return true
    if (!mayRunBeside(context, [entry], busy)) return false
    busy.push(entry)
    return true
  })
}

/** Returns true if a decision may be handed to its call now. */
export function hasApplicable({ context }: RunArgs): boolean {
  return applicable(context).length > 0
}

/** Returns true if decisions go to their calls while inference or tools are in flight. */
export function appliesAtOnce(args: RunArgs): boolean {
  return args.context.options.decisions === 'immediate' && hasApplicable(args)
}

/** Hands each applicable decision to its call. */
export function applyDecisions({ context, enqueue }: SendArgs): void {
  for (const decision of applicable(context)) enqueue.sendTo(decision.callId, { type: 'call.resume', decision })
}

/** Marks the calls of applicable decisions as active and takes those decisions off the queue. */
export function markApplied({ context }: RunArgs): RunPatch {
  const taken = applicable(context)
  const callIds = taken.map(({ callId }) => callId)
  return {
    ...patchCalls(context, callIds, { status: 'active', isReplay: true }),
    decisions: context.decisions.filter((decision) => !taken.includes(decision)),
  }
}

/**
 * Returns true if no call is open, no end is planned, no limit is reached and nobody listens. Every other way would
 * lead to the same state.
 */
export function goesStraightOn(args: RunArgs): boolean {
  const { calls, ending, queue, options, requested, answered } = args.context
  if (requested.length + answered.length > 0) return false
  if (ending.kind !== 'none' || queue.length > 0 || reachedLimit(args.context) !== undefined) return false
  for (const _ in calls) return false
  return !beforeCall.some((name) => options.watched.includes(name))
}

/** Returns true if the running time is over and calls are open. */
export function isTimeOverBesideCalls(args: RunArgs): boolean {
  return isTimeOver(args) && openEntries(args.context).length > 0
}

/** Returns true while a decision can be applied or a replayed call has no result yet. */
export function mustReplay(args: RunArgs): boolean {
  return entriesIn(args.context, 'active').length > 0 || hasApplicable(args)
}

/** Returns true if the gate has new suspensions and nothing to publish: a plugin holds the run at its start. */
export function isOnlyHeld(args: RunArgs): boolean {
  const entries = entriesOf(args.context)
  const hasNew = entries.some(({ isPassed }) => !isPassed)
  return isReplayOver(args) && hasNew && entries.every(({ status }) => status !== 'settled')
}

/** Returns true if nothing is left to replay. */
export function isReplayOver(args: RunArgs): boolean {
  return !mustReplay(args)
}

/** Removes settled calls whose results are in the transcript, and updates the streak of repeated calls. */
export function forgetSettled({ context }: RunArgs): RunPatch {
  return {
    ...withEntries(openEntries(context).map((entry) => ({ ...entry, isPassed: true }))),
    isUnheard: context.isUnheard || hasSettledCalls({ context }),
    streak: streakAfter(context).streak,
  }
}

/**
 * Returns true if the run must wait (requirement RUN-03), in any of three cases: after the round, at the resume gate,
 * or at a planned outcome.
 */
export function mustWait(args: RunArgs): boolean {
  const { context } = args
  if (entriesIn(context, 'suspended').length === 0) return false
  const { options, ending, isResumed } = context
  if (isResumed || options.onPartialSuspension === 'wait') return true
  if (reachesLimit(args, { action: 'finish' })) return true
  if (hasBlockingCall(context) || isRoundSuspended(context)) return true
  return ending.kind !== 'none' && !isEndPutOff(args)
}

const blockingReasons = ['interrupted', 'service', 'permission', 'subAgent']

function hasBlockingCall(context: RunContext): boolean {
  return entriesIn(context, 'suspended').some(({ suspension, blocksRun, isHold }) => {
    if (isHold) return true
    if (suspension === null || !blockingReasons.includes(suspension.reason)) return false
    return suspension.reason === 'interrupted' || suspension.reason === 'permission' || blocksRun
  })
}

/** Every call that passed the call gate was suspended as its first outcome, whatever was decided later. */
function isRoundSuspended(context: RunContext): boolean {
  const { round } = context
  const firsts = Object.values(round.firsts)
  const isOneLeft = round.batches.flat().some((callId) => entryOf(context, callId)?.status === 'suspended')
  return isOneLeft && firsts.every((first) => first === 'suspended')
}

/** Returns true if the run would end naturally with results that the model has not read. */
export function isUnheardAtEnd({ context }: RunArgs): boolean {
  return planOf(context)?.reason === 'natural_end' && context.isUnheard
}

/** Drops a planned natural end, because the model is asked again. */
export function forgetPlannedOutcome(): RunPatch {
  return { ending: noEnding }
}

/** Returns true if an end is planned for the resume gate. */
export function hasPlannedOutcome({ context }: RunArgs): boolean {
  return context.ending.kind !== 'none'
}

/** Returns true if a suspended call has no placeholder yet. */
export function hasPlaceholders({ context }: RunArgs): boolean {
  return placeholders(context).length > 0
}

/** Returns the entries of suspended calls with placeholders, for a model that continues without their results. */
export function placeholders(context: RunContext): readonly CallEntry[] {
  return entriesOf(context).filter((entry) => entry.status === 'suspended' && !entry.hasPlaceholder)
}

/** Marks suspended calls as having a placeholder. */
export function markPlaceholders({ context }: RunArgs): RunPatch {
  const callIds = placeholders(context).map(({ callId }) => callId)
  return patchCalls(context, callIds, { hasPlaceholder: true })
}
