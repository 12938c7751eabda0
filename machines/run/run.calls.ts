import type { CallPlan } from '../../src/core/domain/call-plan.ts'
import type { StopCode } from '../../src/core/domain/end-codes.ts'
import type { ToolCallInput, ToolCallReport } from '../tool-call/tool-call.types.ts'
import { withPlan } from './run.ending.ts'
import { noteOf, tickRunning } from './run.limits.ts'
import { entriesIn, entriesOf, entryOf, openEntries, patchCall } from './run.entries.ts'
import type { CallEntry, CallSender, PlannedOutcome, RunArgs, RunContext, RunPatch, Streak } from './run.types.ts'

const repeatedText = '[Not executed: repeated call.]'

type Settled = Extract<ToolCallReport, { type: 'toolCall.settled' }>
type Suspended = Extract<ToolCallReport, { type: 'toolCall.suspended' }>

/** Returns the input of a call's actor. */
export function toolCallInput(context: RunContext, plan: CallPlan, isQueued: boolean): ToolCallInput {
  const { callId, verdict, effects, resumeMode } = plan
  return {
    callId,
    verdict,
    effects,
    resumeMode,
    isQueued,
    ...watchedCall(context),
  }
}

/** Returns which phases of a call have listeners. */
export function watchedCall({ options }: RunContext): Pick<ToolCallInput, 'isCallGateWatched' | 'isReviewWatched'> {
  return {
    isCallGateWatched: options.watched.includes('gateCall'),
    isReviewWatched: options.watched.includes('reviewCall'),
  }
}

/** Returns true if a call belongs to this run and has not settled. */
export function isKnownCall({ context }: RunArgs, { callId }: { readonly callId: string | undefined }): boolean {
  const entry = callId === undefined ? undefined : entryOf(context, callId)
  return entry !== undefined && entry.status !== 'settled'
}

/** Returns true if every call has settled. */
export function hasNoOpenCalls({ context }: RunArgs): boolean {
  return openEntries(context).length === 0
}

/** Returns true if results wait for the checkpoint that publishes them and removes their calls. */
export function hasSettledCalls({ context }: RunArgs): boolean {
  return entriesIn(context, 'settled').length > 0
}

/** Returns true if the executor and exclusive tools allow calls to start while others run. */
export function mayRunBeside(
  { options }: RunContext,
  starting: readonly CallEntry[],
  busy: readonly CallEntry[],
): boolean {
  if (busy.length === 0) return true
  return options.executor.batchSize === null && ![...starting, ...busy].some((entry) => entry.isExclusive)
}

/** Takes the report of a call that waits for a decision, or that a kept decision answers at once. */
export function takeSuspension({ context }: RunArgs, { report }: { readonly report: Suspended }): RunPatch {
  const { callId, suspension, isDecided, at } = report
  return {
    ...tickRunning(context, at),
    ...patchCall(context, callId, {
      status: isDecided ? 'active' : 'suspended',
      suspension,
      isReplay: isDecided,
    }),
  }
}

/** Takes the report of a call's result. A denied hold ends the run. */
export function takeSettlement({ context }: RunArgs, { report }: { readonly report: Settled }): RunPatch {
  const { callId, status, wasGated, resultHash, paths, isRequested = false, why, at } = report
  const isPermission = isPermissionHold(context, callId)
  return {
    ...tickRunning(context, at),
    round: wasGated ? withSettled(context, callId) : context.round,
    ...patchCall(context, callId, { status: 'settled', resultHash, paths }),
    decisions: context.decisions.filter((decision) => decision.callId !== callId),
    ...(isRequested ? { requested: [...context.requested, callId] } : {}),
    ...(isPermission ? { answered: [...context.answered, callId] } : {}),
    ...(isPermission && why !== undefined ? { reasons: { ...context.reasons, [callId]: why } } : {}),
    ...(status === 'cancelled' && entryOf(context, callId)?.isHold && !isPermission
      ? { ending: withPlan(context.ending, endOfHold(context, callId, why)) }
      : {}),
  }
}

/** A hold for permissions ends no run: tools that were not granted are denied, and the model sees that. */
function isPermissionHold(context: RunContext, callId: string): boolean {
  const entry = entryOf(context, callId)
  return entry?.isHold === true && entry.suspension?.reason === 'permission'
}

/** Plans the end of a run whose hold was denied, with the reason of the denial. */
function endOfHold(context: RunContext, callId: string, why: string | undefined): PlannedOutcome {
  const error = why === undefined ? {} : { error: { code: 'hold_denied', message: why } }
  const { reason, limit } = entryOf(context, callId)?.suspension ?? {}
  if (reason === unavailable) return { reason: 'stopped', code: unavailable, ...error }
  if (limit !== undefined) return { reason: 'stopped', code: limit, note: noteOf(limit), ...error }
  return { reason: 'plugin_requested', ...error }
}

/** The reason of a hold of a run whose models cannot be reached. */
const unavailable: StopCode = 'model_unavailable'

/** The first call of a round that passed the call gate and settled decides; later ones change nothing. */
function withSettled(context: RunContext, callId: string): RunContext['round'] {
  const { round } = context
  for (const known in round.firsts) if (round.firsts[known] === 'settled') return round
  const isFirst = entryOf(context, callId)?.suspension === null
  if (!isFirst || !round.batches.some((batch) => batch.includes(callId))) return round
  return { ...round, firsts: { ...round.firsts, [callId]: 'settled' } }
}

/** Cancels one call while the run continues. */
export function cancelCall(
  { enqueue }: { readonly enqueue: CallSender },
  { callId, text }: { readonly callId: string; readonly text: string },
): void {
  enqueue.sendTo(callId, { type: 'call.cancel', text, byRun: false })
}

/** Returns the id of the actor that a settled call leaves behind. */
export function settledChild(_: unknown, { callId }: { readonly callId: string }): string {
  return callId
}

/**
 * Returns the plans for the calls of the answer, with their verdicts on repeats. Equal calls in a row count regardless
 * of their results.
 */
export function plansOf({ options, streak, answer }: RunContext): readonly CallPlan[] {
  const plans = answer?.calls ?? []
  if (!options.stopsOnRepeat || options.repeatLimit === 0) return plans
  let last = streak?.callHash
  let count = streak?.count ?? 0
  return plans.map((plan) => {
    count = plan.callHash === last ? count + 1 : 1
    last = plan.callHash
    return count > options.repeatLimit ? refuseRepeated(plan) : plan
  })
}

function refuseRepeated(plan: CallPlan): CallPlan {
  return { ...plan, verdict: { kind: 'refused', text: repeatedText } }
}

/**
 * Returns the streak after all calls in the model's order, and the ids of the calls whose result completes a streak. An
 * open call counts once, in its place among the others.
 */
export function streakAfter(context: RunContext): { streak: Streak | null; repeated: readonly string[] } {
  let streak = context.streak
  const repeated: string[] = []
  for (const { callId, callHash, status, isPassed, resultHash } of entriesOf(context)) {
    if (status !== 'settled' && isPassed) continue
    if (status !== 'settled' || resultHash === null) {
      streak = null
      continue
    }
    const isSame = streak !== null && streak.callHash === callHash && streak.resultHash === resultHash
    streak = { callHash, resultHash, count: isSame && streak !== null ? streak.count + 1 : 1 }
    if (streak.count === context.options.repeatLimit) repeated.push(callId)
  }
  return { streak, repeated }
}
