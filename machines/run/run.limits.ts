import type { RunErrorCode, StopCode } from '../../src/core/domain/end-codes.ts'
import type { EndedWith } from '../tool-call/tool-call.types.ts'
import { made, planned, planOf } from './run.ending.ts'
import type { KeepTimeInput, Limit, LimitAction, RunArgs, RunContext, RunPatch, TimeOver } from './run.types.ts'

/** XState's `enqueue`, as far as the running time uses it. */
interface TimerControl {
  stopChild(id: 'runningTime'): void
  spawnChild(src: 'keepTime', options: { readonly id: 'runningTime'; readonly input: KeepTimeInput }): void
}

/**
 * Returns true if the first reached limit, in the given order, requires this action. The final answer is exempt from
 * limits.
 */
export function reachesLimit({ context }: RunArgs, { action }: { readonly action: LimitAction }): boolean {
  return !context.isLastCall && reachedLimit(context)?.action === action
}

/**
 * Returns the first reached limit, in the given order. If the account of the family is exhausted and the run does not
 * have that limit itself, the run stops at it.
 */
export function reachedLimit(context: RunContext): Limit | undefined {
  const { options, exhausted } = context
  const own = options.limits.find(
    (limit) => limit.action !== 'ask' && (limit.code === exhausted || consumed(context, limit) >= limit.max),
  )
  return own ?? (exhausted === null ? undefined : { code: exhausted, max: 0, action: 'stop' })
}

function consumed(context: RunContext, { code }: Limit): number {
  switch (code) {
    case 'max_turns':
      return context.turn
    case 'max_tool_interactions':
      return context.turn + context.refusals
    case 'max_tokens':
      return context.usage.totalTokens
    case 'max_duration':
      return context.elapsedMs
    case 'max_cost':
      return context.cost
  }
}

const limitWords: { readonly [code in Limit['code']]: string } = {
  max_turns: 'maximum number of turns reached',
  max_tokens: 'maximum number of tokens reached',
  max_duration: 'maximum running time reached',
  max_tool_interactions: 'maximum number of tool interactions reached',
  max_cost: 'maximum cost reached',
}

/** Stops the run at a limit, with a note for the reader of the transcript and without an error. */
export function stopAtLimit({ context }: RunArgs): RunPatch {
  const code = codeOf(context)
  return { ending: planned({ reason: 'stopped', code, note: noteOf(code) }) }
}

/** Returns the note of a run that stops at a limit. */
export function noteOf(code: Limit['code']): string {
  return `[Agent stopped: ${limitWords[code]}]`
}

/** The time limit in milliseconds of a final answer, or of a hook at the end, after the running time is over. */
const lastMs = 60_000

/** Plans one more model call, without tools, for the final answer. */
export function finishAtLimit({ context }: RunArgs): RunPatch {
  const code = codeOf(context)
  const more = code === 'max_duration' ? { allowedMs: context.elapsedMs + lastMs } : {}
  return { isLastCall: true, ending: planned({ reason: 'stopped', code }), ...more }
}

/** Ends the run without the final answer, because it took too long or the family cannot pay for it. */
export function stopFinalAnswer({ context }: RunArgs): RunPatch {
  const code = planOf(context)?.code as Limit['code']
  return { ending: planned({ reason: 'stopped', code, note: noteOf(code) }) }
}

/** Ends the run in an error that names the limit. */
export function failAtLimit({ context }: RunArgs): RunPatch {
  const code = codeOf(context)
  const message = code === 'max_tool_interactions' ? 'Tool calls exhausted max quota' : limitWords[code]
  return { ending: made({ reason: 'error', code, error: { code, message } }) }
}

function codeOf(context: RunContext): Limit['code'] & StopCode & RunErrorCode {
  return reachedLimit(context)?.code ?? 'max_turns'
}

/** Adds the running time up to `at`, in Unix milliseconds. `stopClock` excludes the time of a wait. */
export function tick({ elapsedMs, since }: RunContext, at: number): RunPatch {
  if (at <= since) return {}
  return { elapsedMs: elapsedMs + (since === 0 ? 0 : at - since), since: at }
}

/** Adds running time only if the clock runs, because a call may report a time before the wait that it ends. */
export function tickRunning(context: RunContext, at: number): RunPatch {
  return context.since === 0 ? {} : tick(context, at)
}

/** Starts the run's clock. Time without a driver does not count; earlier running time does, as far as it is known. */
export function startClock(
  { context }: RunArgs,
  { at, awakeUntil }: { readonly at: number; readonly awakeUntil?: number },
): RunPatch {
  const before = awakeUntil === undefined ? {} : tickRunning(context, awakeUntil)
  return { ...before, since: at }
}

/** Stops the run's clock, because waiting time does not count. */
export function stopClock(): RunPatch {
  return { since: 0 }
}

/** Returns the rest of the running time, or the rest of a hook's time after it. */
export function timeLeft({ context }: RunArgs): KeepTimeInput {
  const { allowedMs, elapsedMs } = context
  return { forMs: allowedMs === null ? null : Math.max(0, timerEnd(context) - elapsedMs) }
}

function timerEnd({ allowedMs, hooksUntilMs }: RunContext): number {
  return Math.max(allowedMs ?? 0, hooksUntilMs ?? 0)
}

/** Restarts the timer of the running time with the time that is left. */
export function restartTimer({ context, enqueue }: RunArgs & { readonly enqueue: TimerControl }): void {
  enqueue.stopChild('runningTime')
  enqueue.spawnChild('keepTime', { id: 'runningTime', input: timeLeft({ context }) })
}

/** Ends the running time, regardless of the times that earlier events reported. */
export function takeTimeOver({ context }: RunArgs, event: EndedWith<TimeOver>): RunPatch {
  if (!('output' in event)) return {}
  const { at } = event.output
  const { elapsedMs } = { ...context, ...tick(context, at) }
  return { since: at, elapsedMs: Math.max(elapsedMs, timerEnd(context)) }
}

/** Returns true if running work must end. */
export function isTimeOver({ context: { allowedMs, elapsedMs } }: RunArgs): boolean {
  return allowedMs !== null && elapsedMs >= allowedMs
}

/** Returns true if the final answer must be abandoned. */
export function isFinalTimeOver(args: RunArgs): boolean {
  return isTimeOver(args) && args.context.isLastCall
}

/** Returns true if the running time has ended while plugins check an answer. */
export function isAnswerTimeOver(args: RunArgs): boolean {
  return isTimeOver(args) && args.context.answer !== null
}

/** Ends the run at the first reached limit without asking the model again, in an error or with a note. */
export function endAtLimit(args: RunArgs): RunPatch {
  return reachesLimit(args, { action: 'error' }) ? failAtLimit(args) : stopAtLimit(args)
}

/** Plans the end at a limit before plugins have checked the whole answer. An answer without calls is the final one. */
export function planAtLimit({ context }: RunArgs): RunPatch {
  if (context.ending.kind !== 'none') return {}
  if (reachedLimit(context)?.action !== 'finish') return endAtLimit({ context })
  return context.answer?.calls.length === 0 ? { ending: planned({ reason: 'stopped', code: codeOf(context) }) } : {}
}

/** Allows a hook that starts after the running time to take as long as a final answer. */
export function allowHook({ context }: RunArgs): RunPatch {
  return isTimeOver({ context }) ? { hooksUntilMs: context.elapsedMs + lastMs } : {}
}

/** Starts the timer of a hook that starts after the running time. */
export function timeHook(args: RunArgs & { readonly enqueue: TimerControl }): void {
  if (isTimeOver(args)) restartTimer(args)
}

/** Returns true if a hook at the end of the run must be abandoned. */
export function isHookTimeOver(args: RunArgs): boolean {
  return isTimeOver(args) && args.context.elapsedMs >= (args.context.hooksUntilMs ?? 0)
}
