import { interruptedText } from './tool-call.decisions.ts'
import type { Performed, ToolCallArgs, ToolCallPatch } from './tool-call.types.ts'

/** How the performance of the tool ended. */
export function hasPerformed(
  _: unknown,
  { performed, status }: { readonly performed: Performed; readonly status: Performed['status'] },
): boolean {
  return performed.status === status
}

/** What executed has passed the gate. */
export function takePerformed({ context }: ToolCallArgs, { resultHash, paths, at }: Performed): ToolCallPatch {
  return { attempts: context.attempts + 1, wasGated: true, resultHash: resultHash ?? null, paths: paths ?? [], at }
}

/** The result of a call that is cancelled: the reason given, or what can be said of it. */
export function takeCancel(
  { context: { suspension, decision } }: ToolCallArgs,
  { text, byRun }: { readonly text: string; readonly byRun: boolean },
): ToolCallPatch {
  const isInterrupted = suspension?.reason === 'interrupted' && decision === null
  return { closingText: isInterrupted ? interruptedText : text, cancelledByRun: byRun }
}

/** The result of a call that a stopped round leaves out. */
export function takeSkip(_: unknown, { text }: { readonly text: string }): ToolCallPatch {
  return { closingText: text }
}

/** Whether the run takes the call down, and not a person. */
export function isByRun(_: unknown, { byRun }: { readonly byRun: boolean }): boolean {
  return byRun
}

/** Nobody reviews calls that were never gated, nor those a cancelled run takes down. */
export function isReviewed({ context: { isReviewWatched, wasGated, cancelledByRun } }: ToolCallArgs): boolean {
  return isReviewWatched && wasGated && !cancelledByRun
}
