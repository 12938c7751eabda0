import type { RunError } from '../../src/domain/outcome.ts'
import { openEntries } from './run.calls.ts'
import { findConflict } from './run.round.ts'
import { cancelEvent } from './run.round.ts'
import type { CallSender, RunArgs, RunContext, RunOutput, RunPatch, RunPhaseInput } from './run.types.ts'

/** A wait forgets a natural end, since the model will hear the result; other planned outcomes stay. */
export function suspendRun({ context: { plannedOutcome } }: RunArgs): RunPatch {
  return {
    outcome: { reason: 'suspended' },
    plannedOutcome: plannedOutcome?.reason === 'natural_end' ? null : plannedOutcome,
  }
}

/** A waiting run goes on. */
export function resumeRun(): RunPatch {
  return { outcome: null, isResumed: true }
}

/** The planned outcome becomes the outcome. */
export function conclude({ context: { plannedOutcome } }: RunArgs): RunPatch {
  if (plannedOutcome === null) return { outcome: { reason: 'natural_end' } }
  const { reason, code } = plannedOutcome
  return { outcome: code === undefined ? { reason } : { reason, code } }
}

/** Somebody cancels the run; the note says what was going on, null for nothing. */
export function cancelRun(_: unknown, { note }: { readonly note: string | null }): RunPatch {
  return { outcome: { reason: 'cancelled' }, cancelNote: note, plannedOutcome: null }
}

/** The run ends in an error. */
export function failRun(_: unknown, { error }: { readonly error: RunError }): RunPatch {
  return { outcome: { reason: 'error', error }, plannedOutcome: null }
}

/** Two calls changed one path of the state: nothing is applied. */
export function failOnConflict({ context }: RunArgs): RunPatch {
  const { path, calls } = findConflict(context) ?? { path: '', calls: ['', ''] }
  const message = `Calls "${calls[0]}" and "${calls[1]}" both changed "${path}" of the state. Nothing was applied.`
  return failRun(undefined, { error: { code: 'state_conflict', message } })
}

/** Sends every open call to its end where the outcome takes them with it; a wait or a natural end takes none. */
export function cancelOpenCalls({ context, enqueue }: RunArgs & { readonly enqueue: CallSender }): void {
  if (mustSettle(context)) cancelEveryCall({ context, enqueue })
}

/** Sends every open call to its end. */
export function cancelEveryCall({ context, enqueue }: RunArgs & { readonly enqueue: CallSender }): void {
  for (const { callId } of openEntries(context)) enqueue.sendTo(callId, cancelEvent)
}

/** A cancelled or failed run ends once none of its calls is open. */
function mustSettle(context: RunContext): boolean {
  const { outcome } = context
  return (outcome?.reason === 'cancelled' || outcome?.reason === 'error') && openEntries(context).length > 0
}

/** Whether no call keeps the run from its end. */
export function isSettled({ context }: RunArgs): boolean {
  return !mustSettle(context)
}

/** Whether no call keeps the run from its end, and a plugin listens to that. */
export function isSettledAndWatched({ context }: RunArgs): boolean {
  return !mustSettle(context) && context.options.watched.includes('runEnd')
}

/** Whether no call keeps the run from its end in error, and a hook listens to that. */
export function isSettledInError({ context }: RunArgs): boolean {
  return !mustSettle(context) && context.outcome?.reason === 'error' && context.options.watched.includes('onError')
}

/** Whether the run is on its way to a wait. */
export function isWait({ context: { outcome } }: RunArgs): boolean {
  return outcome?.reason === 'suspended'
}

/** Whether the run is on its way to an end in error. */
export function hasErred({ context: { outcome } }: RunArgs): boolean {
  return outcome?.reason === 'error'
}

/** What the hook onError is told. */
export function onErrorInput({ context: { turn, outcome } }: RunArgs): RunPhaseInput {
  return { phase: 'onError', turn, ...(outcome?.error === undefined ? {} : { error: outcome.error }) }
}

/** What the run says of itself once it is done. */
export function outputOf({ context: { outcome } }: RunArgs): RunOutput {
  return { outcome: outcome ?? { reason: 'natural_end' } }
}
