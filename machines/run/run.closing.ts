import type { RunError } from '../../src/core/domain/outcome.ts'
import { made, outcomeOf, planOf, resumed } from './run.ending.ts'
import { openEntries } from './run.entries.ts'
import { findConflict, cancelEvent } from './run.round.ts'
import type { CallSender, RunArgs, RunContext, RunEvent, RunOutput, RunPatch, LoopAsk } from './run.types.ts'

/**
 * Suspends the run. A planned natural end is dropped, because the model will read the result; other planned outcomes
 * stay.
 */
export function suspendRun({ context }: RunArgs): RunPatch {
  const plan = planOf(context)
  const wait = made({ reason: 'suspended' })
  return { ending: plan === null || plan.reason === 'natural_end' ? wait : { ...wait, plan } }
}

/** Resumes a waiting run. */
export function resumeRun({ context: { ending } }: RunArgs): RunPatch {
  return { ending: resumed(ending), isResumed: true }
}

/** Makes the planned outcome the outcome. An end that is already certain stays. */
export function conclude({ context }: RunArgs): RunPatch {
  if (context.ending.kind === 'made') return {}
  const { note, ...outcome } = planOf(context) ?? { reason: 'natural_end' as const }
  return { ending: made(outcome, note) }
}

/** Cancels the run with the given reason. The note describes what was in progress; null means nothing was. */
export function cancelRun(
  { event }: { readonly event: RunEvent },
  { note }: { readonly note: string | null },
): RunPatch {
  const why = event.type === 'run.cancelRequested' ? event.why : undefined
  const error = why === undefined ? {} : { error: { code: 'run_cancelled', message: why } }
  return { ending: made({ reason: 'cancelled', ...error }, note ?? undefined) }
}

/** Ends the run in an error. */
export function failRun(_: unknown, { error }: { readonly error: RunError }): RunPatch {
  return { ending: made({ reason: 'error', error }) }
}

/** Ends the run in an error because two calls changed the same path of the state. Neither change is applied. */
export function failOnConflict({ context }: RunArgs): RunPatch {
  const { path, calls } = findConflict(context) ?? { path: '', calls: ['', ''] }
  const message = `Calls "${calls[0]}" and "${calls[1]}" both changed "${path}" of the state. Nothing was applied.`
  return failRun(undefined, { error: { code: 'state_conflict', message } })
}

/** Cancels every open call if the outcome requires it; a wait and a natural end do not. */
export function cancelOpenCalls({ context, enqueue }: RunArgs & { readonly enqueue: CallSender }): void {
  if (mustSettle(context)) cancelEveryCall({ context, enqueue })
}

/** Cancels every open call. */
export function cancelEveryCall({ context, enqueue }: RunArgs & { readonly enqueue: CallSender }): void {
  for (const { callId } of openEntries(context)) enqueue.sendTo(callId, cancelEvent)
}

/** A cancelled or failed run ends when all its calls have settled. */
function mustSettle(context: RunContext): boolean {
  const reason = outcomeOf(context)?.reason
  return (reason === 'cancelled' || reason === 'error') && openEntries(context).length > 0
}

/** Returns true if no call prevents the run's end. */
export function isSettled({ context }: RunArgs): boolean {
  return !mustSettle(context)
}

/** Returns true if the run ends in error, and a plugin has `onError`. */
export function isErrorHeard(args: RunArgs): boolean {
  return hasErred(args) && args.context.options.watched.includes('onError')
}

/** Returns true if the run is about to wait. */
export function isWait({ context }: RunArgs): boolean {
  return outcomeOf(context)?.reason === 'suspended'
}

/** Returns true if the run is about to end in an error. */
export function hasErred({ context }: RunArgs): boolean {
  return outcomeOf(context)?.reason === 'error'
}

/** Returns the input of the hook `onError`. */
export function onErrorInput({ context }: RunArgs): LoopAsk {
  const error = outcomeOf(context)?.error
  return { phase: 'onError', turn: context.turn, ...(error === undefined ? {} : { error }) }
}

/** Returns the output of a finished run. */
export function outputOf({ context }: RunArgs): RunOutput {
  return { outcome: outcomeOf(context) ?? { reason: 'natural_end' } }
}
