import type { CallPlan } from '../../src/core/domain/call-plan.ts'
import type { ToolCallEvent } from '../tool-call/tool-call.types.ts'
import { planned } from './run.ending.ts'
import { mayRunBeside, plansOf, toolCallInput, watchedCall } from './run.calls.ts'
import { entriesIn, entriesOf, entryOf, newEntry, patchCalls, withEntries } from './run.entries.ts'
import { hasSteering } from './run.queue.ts'
import type { CallEntry, CallSender, PlannedOutcome, RunArgs, RunContext, RunPatch, SpawnCall } from './run.types.ts'

interface SpawnArgs extends RunArgs {
  readonly spawn: SpawnCall
}

interface SendArgs extends RunArgs {
  readonly enqueue: CallSender
}

const unfinishedText = '[Tool execution was interrupted before producing a result.]'
const sequenceText = '[Not executed: an earlier call is waiting for a decision.]'
const steeringText = 'Skipped due to queued user message.'

/** The event that ends a call of an ending run or of a skipped round. */
export const cancelEvent: ToolCallEvent = { type: 'call.cancel', text: unfinishedText, byRun: true }

/** Opens the round, starts its first batch and drops the answer, whose calls now have actors. */
export function enterRound({ context, spawn }: SpawnArgs): RunPatch {
  const opening = openRound(context)
  const opened = { ...context, ...opening }
  const first = new Set(currentBatch(opened))
  for (const plan of plansOf(context)) {
    spawn('toolCall', { id: plan.callId, input: toolCallInput(context, plan, !first.has(plan.callId)) })
  }
  return { ...opening, ...startBatch({ context: opened }), answer: null }
}

/** Enters the calls of an answer that the run does not execute because it ends. They are cancelled like all others. */
export function leaveRound({ context, spawn }: SpawnArgs): RunPatch {
  if (context.answer === null) return {}
  for (const plan of plansOf(context)) {
    spawn('toolCall', { id: plan.callId, input: toolCallInput(context, plan, true) })
  }
  return { ...openRound(context), answer: null }
}

function openRound(context: RunContext): RunPatch {
  const plans = plansOf(context)
  const entries = plans.map((plan) => newEntry(plan, 'new'))
  const batches = cutBatches(plans, context.options.executor.batchSize)
  // A replay that still runs may keep the first batch from starting beside it.
  const starting = entries.slice(0, batches[0]?.length)
  const isRepeated = plans.some((plan, index) => plan !== context.answer?.calls[index])
  return {
    ...withEntries([...entriesOf(context), ...entries]),
    round: { batches, batch: mayRunBeside(context, starting, entriesIn(context, 'active')) ? 0 : -1, firsts: {} },
    ...(isRepeated && context.ending.kind === 'none' ? { ending: planned(repeatedEnd) } : {}),
  }
}

const repeatedEnd: PlannedOutcome = {
  reason: 'stopped',
  code: 'loop_detected',
  note: '[Agent stopped: repeated call]',
}

function cutBatches(plans: readonly CallPlan[], size: number | null): readonly (readonly string[])[] {
  const batches: string[][] = []
  let open: string[] | undefined
  for (const { callId, isExclusive } of plans) {
    if (isExclusive) {
      batches.push([callId])
      open = undefined
    } else if (open === undefined || (size !== null && open.length >= size)) {
      open = [callId]
      batches.push(open)
    } else {
      open.push(callId)
    }
  }
  return batches
}

/** Marks the current batch as started. */
export function startBatch({ context }: RunArgs): RunPatch {
  return patchCalls(context, currentBatch(context), { status: 'active' })
}

/** Calls of the current batch that were not cancelled before it started. */
function currentBatch(context: RunContext): readonly string[] {
  const { batches, batch } = context.round
  return (batches[batch] ?? []).filter((callId) => entryOf(context, callId)?.status === 'new')
}

/** Moves to the next batch. */
export function nextBatch({ context: { round } }: RunArgs): RunPatch {
  return { round: { ...round, batch: round.batch + 1 } }
}

/** Tells the calls of the current batch to start. */
export function callBatch({ context, enqueue }: SendArgs): void {
  for (const callId of currentBatch(context)) enqueue.sendTo(callId, { type: 'call.start', ...watchedCall(context) })
}

/** Tells calls of later batches, which a stopped round skips, that they do not run. */
export function skipRest({ context, enqueue }: SendArgs): void {
  const { round } = context
  const text = isStopped(context) ? sequenceText : steeringText
  for (const callId of round.batches.slice(round.batch + 1).flat()) {
    if (entryOf(context, callId)?.status === 'new') enqueue.sendTo(callId, { type: 'call.skip', text })
  }
}

/** Moves behind the last batch, because no further batch starts. */
export function skipToLastBatch({ context: { round } }: RunArgs): RunPatch {
  return { round: { ...round, batch: round.batches.length - 1 } }
}

/** Cancels the calls of a skipped round. */
export function cancelNewCalls({ context, enqueue }: SendArgs): void {
  for (const { callId } of entriesIn(context, 'new')) enqueue.sendTo(callId, cancelEvent)
}

/** Returns true if every skipped call of a round has ended. */
export function hasNoNewCalls({ context }: RunArgs): boolean {
  return entriesIn(context, 'new').length === 0
}

/** Returns true if the current batch is over and another one comes after it. */
export function isBatchOver({ context }: RunArgs): boolean {
  return !isLastBatch(context) && isCurrentOver(context)
}

/**
 * The current batch is over when each of its calls has its first outcome and none is running. Checked at every result:
 * the last call, which usually finishes last, is checked first.
 */
function isCurrentOver(context: RunContext): boolean {
  const { batches, batch } = context.round
  if (!isOver(context, batches[batch] ?? [])) return false
  // Replays count as busy only if the executor allows nothing to run alongside them.
  return isLastBatch(context) || entriesIn(context, 'active').length === 0
}

/** Returns true if each of these calls has settled or suspended once. */
function isOver(context: RunContext, callIds: readonly string[]): boolean {
  const isUnder = (callId: string) => {
    const entry = entryOf(context, callId)
    return entry?.status !== 'settled' && entry?.suspension === null
  }
  return callIds.findLast(isUnder) === undefined
}

function isLastBatch({ round }: RunContext): boolean {
  return round.batch >= round.batches.length - 1
}

/** Returns true if all batches are over. Skipped calls of earlier batches may not have settled yet. */
export function isRoundOver({ context }: RunArgs): boolean {
  const isLastOver = isLastBatch(context) && isCurrentOver(context)
  return isLastOver && context.round.batches.slice(0, -1).every((batch) => isOver(context, batch))
}

/**
 * Returns true if later batches are skipped. An unanswered suspension stops a sequential or batched round, and a
 * steering message replaces the calls that have not started.
 */
export function mustSkipRest(args: RunArgs): boolean {
  return (isStopped(args.context) || hasSteering(args)) && !isLastBatch(args.context)
}

function isStopped(context: RunContext): boolean {
  const { options, round } = context
  if (!options.executor.stopsOnSuspension) return false
  return round.batches.flat().some((callId) => entryOf(context, callId)?.status === 'suspended')
}

/** Returns true if calls of a finished batch change the same path of the state. */
export function hasConflict(args: RunArgs): boolean {
  return isCurrentOver(args.context) && findConflict(args.context) !== undefined
}

/** A path of the state that two calls want to change. */
export interface Conflict {
  readonly path: string
  readonly calls: readonly [string, string]
}

/** Returns two calls that share one view of the state and want to change the same path. Replays never conflict. */
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

/**
 * Returns the calls that see the same state: parallel calls that of the round's start, others that of their batch's
 * start.
 */
export function entriesThatShareState(context: RunContext): readonly CallEntry[] {
  const { options, round } = context
  const callIds = options.executor.batchSize === null ? round.batches.flat() : (round.batches[round.batch] ?? [])
  return callIds.flatMap((callId) => entryOf(context, callId) ?? [])
}

/** The empty path is the whole document. */
function overlaps(left: string, right: string): boolean {
  if (left === '' || right === '') return true
  return left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`)
}
