import { runSetup } from '../run.setup.ts'
import { cancelsTurn, failsTurn } from './turn-endings.ts'

/** State `running.toolRound` of the run. */
export const toolRound = runSetup.createStateConfig({
  description: 'The calls of one turn run, in batches as wide as the executor.',
  initial: 'executing',
  states: {
    executing: {
      description: 'Calls of the batch are on their way; decisions for others reach them meanwhile.',
      on: { 'run.cancelRequested': cancelsTurn('[Run cancelled while tools were running.]'), 'run.failed': failsTurn },
      always: [
        { guard: 'hasConflict', target: '#run.running.closing', actions: ['failOnConflict', 'announceTurnEnd'] },
        { guard: 'isTimeOver', target: 'cancellingRound' },
        { guard: 'isRoundOver', target: 'committingResults' },
        { guard: 'isBatchOver', target: 'choosingNext' },
        { guard: 'appliesAtOnce', actions: ['applyDecisions', 'markApplied'] },
      ],
    },
    choosingNext: {
      description: 'After a batch: the rest is left out, a replay goes first, or the next batch starts.',
      always: [
        { guard: 'mustSkipRest', target: 'executing', actions: ['skipRest', 'skipToLastBatch'] },
        { guard: 'appliesAtOnce', target: 'executing', actions: ['applyDecisions', 'markApplied'] },
        { target: 'executing', actions: ['recordPatches', 'nextBatch', 'callBatch', 'startBatch'] },
      ],
    },
    cancellingRound: {
      description: 'The running time is over: every open call is cancelled, those of earlier rounds too.',
      entry: 'cancelEveryCall',
      always: { guard: 'hasNoOpenCalls', target: 'committingResults' },
    },
    leavingRound: {
      description: 'The run ends before its calls; each gets the result of a call that was never started.',
      entry: ['leaveRound', 'cancelNewCalls'],
      always: { guard: 'hasNoNewCalls', target: 'committingResults' },
    },
    committingResults: {
      description: 'Commit point of the results.',
      entry: [
        'recordResults',
        'forgetSettled',
        { type: 'checkpoint', params: { name: 'ToolResultsCommitted' } },
        'announceTurnEnd',
      ],
      always: [
        { guard: { type: 'isWatched', params: { phase: 'afterTurn' } }, target: '#run.running.turn.askingAfterTurn' },
        { target: '#run.running.resumeGate' },
      ],
    },
  },
})
