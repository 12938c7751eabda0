import type { Write } from '../../src/core/domain/log.ts'
import type { Message } from '../../src/core/domain/message.ts'
import type { RunError } from '../../src/core/domain/outcome.ts'
import type { ModelCallOutcome } from '../model-call/model-call.types.ts'
import { isWait } from './run.closing.ts'
import { noteOf, outcomeOf } from './run.ending.ts'
import { entriesIn } from './run.entries.ts'
import { entriesThatShareState } from './run.round.ts'
import { placeholders } from './run.gate.ts'
import {
  announceRejected,
  announceRejectedQueued,
  inputWrites,
  queuedWrites,
  refusedWrites,
  rejectionWrites,
  undeliveredWrites,
} from './run.queue.ts'
import { streakAfter } from './run.calls.ts'
import type { CallEntry, RunAnnouncement, RunArgs } from './run.types.ts'

/** The writes of each `record…` action of the chart. */
export const runRecords = {
  recordInput: ({ context }: RunArgs): readonly Write[] => inputWrites(context),
  recordRejection: rejectionWrites,
  recordQueued: ({ context }: RunArgs): readonly Write[] => queuedWrites(context),
  recordRefused: refusedWrites,
  recordPosted: (_: unknown, { message }: { readonly message: Message }): readonly Write[] => [
    { kind: 'append', message },
  ],
  /** Appends the message that tells the model that its answer does not fit. */
  recordCorrection: ({ context: { answer } }: RunArgs): readonly Write[] => {
    const issues = answer?.misfit?.kind === 'issues' ? answer.misfit.text : ''
    return [{ kind: 'note', text: `[The answer does not fit the expected output: ${issues}. Answer again.]` }]
  },
  /** Appends the message that tells the model that a plugin has refused its answer. */
  recordRefusal: (_: unknown, { outcome }: { readonly outcome: ModelCallOutcome }): readonly Write[] =>
    outcome.status === 'refused'
      ? [{ kind: 'note', text: `[The answer was refused: ${outcome.reason} Answer again.]` }]
      : [],
  recordResults: ({ context }: RunArgs): readonly Write[] => {
    const { repeated } = streakAfter(context)
    const settled = entriesIn(context, 'settled')
    return [
      ...settled
        .filter(({ callId }) => repeated.includes(callId))
        .map(({ callId }) => repeatNote(callId, context.options.repeatLimit)),
      ...patchesOf(settled),
      ...lateResultsOf(settled),
    ]
  },
  /** Between batches, so that later calls see earlier effects. */
  recordPatches: ({ context }: RunArgs): readonly Write[] =>
    context.options.executor.batchSize === null ? [] : patchesOf(entriesThatShareState(context)),
  recordPlaceholders: ({ context }: RunArgs): readonly Write[] =>
    placeholders(context).map(({ callId }) => ({ kind: 'call', callId, patch: { placeholder: true } })),
  recordEnd: ({ context }: RunArgs): readonly Write[] => {
    const late = lateResultsOf(entriesIn(context, 'settled'))
    const note = noteOf(context)
    const said = note === undefined ? late : [...late, { kind: 'note' as const, text: note }]
    return isWait({ context }) ? said : [...said, ...undeliveredWrites(context)]
  },
  recordUndelivered: ({ context }: RunArgs): readonly Write[] => undeliveredWrites(context),
  recordFailure: ({ context }: RunArgs): readonly Write[] => {
    const error = outcomeOf(context)?.error
    return error === undefined ? [] : [{ kind: 'failure', error }]
  },
}

function repeatNote(callId: string, times: number): Write {
  return { kind: 'amend', callId, text: `[This call has been repeated ${times} times with the same result.]` }
}

/** Changes of the round come first, those of replays after them. */
function patchesOf(entries: readonly CallEntry[]): readonly Write[] {
  const changing = entries.filter((entry) => entry.paths.length > 0)
  const inOrder = [...changing.filter((entry) => !entry.isReplay), ...changing.filter((entry) => entry.isReplay)]
  return inOrder.map(({ callId }) => ({ kind: 'applyPatch', callId }))
}

function lateResultsOf(settled: readonly CallEntry[]): readonly Write[] {
  return settled.filter((entry) => entry.hasPlaceholder).map(({ callId }) => ({ kind: 'tellLateResult', callId }))
}

/** The announcement of each `announce…` action of the chart. */
export const runAnnouncements = {
  announceStart: (): RunAnnouncement => ({ type: 'run.started' }),
  announceResume: (): RunAnnouncement => ({ type: 'run.resumed' }),
  announceEnd: (args: RunArgs): RunAnnouncement => ({ type: isWait(args) ? 'run.waiting' : 'run.ended' }),
  announceLateFailure: (_: RunArgs, { error }: { readonly error: RunError }): RunAnnouncement => ({
    type: 'hook.failed',
    error,
  }),
  announceTurnStart: ({ context: { turn } }: RunArgs): RunAnnouncement => ({ type: 'turn.started', turn }),
  announceDropped: ({ context: { answer, turn } }: RunArgs): RunAnnouncement | null =>
    answer === null || answer.dropped.length === 0 ? null : { type: 'calls.dropped', turn, names: answer.dropped },
  announceTurnEnd: ({ context: { turn } }: RunArgs): RunAnnouncement => ({ type: 'turn.ended', turn }),
  announceRejected,
  announceRejectedQueued,
}
