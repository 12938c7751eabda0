import type { CallPlan } from '../../src/domain/call-plan.ts'
import type { Write } from '../../src/domain/log.ts'
import type { ModelCallInput } from '../model-call/model-call.types.ts'
import type { ToolCallEvent, ToolCallInput } from '../tool-call/tool-call.types.ts'
import type { CallEntry, RunAnnouncement, RunContext } from './run.types.ts'
import { entriesOf, entriesThatShareState, isInFirstBatch, isWait, isWatched } from './run.facts.ts'
import { placeholders, streakAfter } from './run.rounds.ts'

const unfinishedText = '[Tool execution was interrupted before producing a result.]'

const sequenceText = '[Not executed: an earlier call is waiting for a decision.]'

export function modelCallInput({ turn, isFinishing, options }: RunContext): ModelCallInput {
  return { turn, isFinishing, maxRetries: options.maxRetries, fallbacks: options.fallbacks }
}

export function toolCallInput(context: RunContext, plan: CallPlan, isDue: boolean): ToolCallInput {
  const { callId, verdict, effects, resumeMode } = plan
  return {
    callId,
    verdict,
    effects,
    resumeMode,
    isDue,
    isGateWatched: isWatched(context, 'beforeToolExecute'),
    isReviewWatched: isWatched(context, 'afterToolExecute'),
  }
}

/** The input of a call of the round just entered. */
export function dueCallInput(context: RunContext, plan: CallPlan): ToolCallInput {
  return toolCallInput(context, plan, isInFirstBatch(context, plan.callId))
}

/** A suspension of the run is a call no plugin is asked about. */
export function holdInput(context: RunContext, plan: CallPlan): ToolCallInput {
  return { ...toolCallInput(context, plan, true), isGateWatched: false, isReviewWatched: false }
}

/** Sends every call of the ending run, or of a round left out, to its end. */
export const cancelEvent: ToolCallEvent = { type: 'call.cancel', text: unfinishedText, byRun: true }

export const skipEvent: ToolCallEvent = { type: 'call.skip', text: sequenceText }

/** What each `record…` action of the chart asks to have written. */
export const runRecords = {
  recordInput: ({ input }: RunContext): readonly Write[] => input.map((message) => ({ kind: 'append', message })),
  recordResults: (context: RunContext): readonly Write[] => {
    const { repeated } = streakAfter(context)
    const settled = entriesOf(context).filter((entry) => entry.status === 'settled')
    return [
      ...settled
        .filter(({ callId }) => repeated.includes(callId))
        .map(({ callId }) => repeatNote(callId, context.options.repeatLimit)),
      ...patchesOf(settled),
      ...lateResultsOf(settled),
    ]
  },
  /** Between batches, so that later calls see earlier effects. */
  recordPatches: (context: RunContext): readonly Write[] =>
    context.options.executor.batchSize === null ? [] : patchesOf(entriesThatShareState(context)),
  recordPlaceholders: (context: RunContext): readonly Write[] =>
    placeholders(context).map(({ callId }) => ({ kind: 'call', callId, patch: { placeholder: true } })),
  recordEnding: (context: RunContext): readonly Write[] => {
    const late = lateResultsOf(entriesOf(context).filter((entry) => entry.status === 'settled'))
    const note = endNote(context)
    return note === null ? late : [...late, { kind: 'note', text: note }]
  },
  recordFailure: ({ outcome }: RunContext): readonly Write[] =>
    outcome?.error === undefined ? [] : [{ kind: 'failure', error: outcome.error }],
}

function endNote({ outcome, cancelNote, ending }: RunContext): string | null {
  if (outcome?.reason === 'cancelled') return cancelNote
  return outcome?.reason === 'stopped' ? (ending?.note ?? null) : null
}

/** Changes of the round come first, those of replays after them. */
function patchesOf(entries: readonly CallEntry[]): readonly Write[] {
  const changing = entries.filter((entry) => entry.paths.length > 0)
  const inOrder = [...changing.filter((entry) => !entry.isReplay), ...changing.filter((entry) => entry.isReplay)]
  return inOrder.map(({ callId }) => ({ kind: 'applyPatch', callId }))
}

function lateResultsOf(settled: readonly CallEntry[]): readonly Write[] {
  return settled.filter((entry) => entry.hasPlaceholder).map(({ callId }) => ({ kind: 'publish', callId }))
}

function repeatNote(callId: string, times: number): Write {
  return { kind: 'amend', callId, text: `[This call has been repeated ${times} times with the same result.]` }
}

/** What each `announce…` action of the chart tells whoever watches. */
export const runAnnouncements = {
  announceStart: (): RunAnnouncement => ({ type: 'run.started' }),
  announceResume: (): RunAnnouncement => ({ type: 'run.resumed' }),
  announceEnd: (context: RunContext): RunAnnouncement => ({ type: isWait(context) ? 'run.waiting' : 'run.ended' }),
  announceTurnStart: ({ turn }: RunContext): RunAnnouncement => ({ type: 'turn.started', turn }),
  announceDropped: ({ answer, turn }: RunContext): RunAnnouncement | null =>
    answer === null || answer.dropped.length === 0 ? null : { type: 'calls.dropped', turn, names: answer.dropped },
  announceTurnEnd: ({ turn }: RunContext): RunAnnouncement => ({ type: 'turn.ended', turn }),
}
