import { runSetup } from '../run.setup.ts'

/** State `running.resumeGate` of the run. */
export const resumeGate = runSetup.createStateConfig({
  description: 'Between rounds: decisions are taken in, replayed and committed before the model is asked.',
  initial: 'draining',
  states: {
    draining: {
      description: 'Is there something to replay or to commit?',
      always: [
        { guard: 'isTimeOverBesideCalls', target: 'cancellingCalls' },
        { guard: 'goesStraightOn', target: '#run.running.turn.callingModel' },
        { guard: 'mustReplay', target: 'replaying' },
        { guard: 'hasSettledCalls', target: 'committingReplay' },
        { target: 'judging' },
      ],
    },
    replaying: {
      description: 'Calls a decision resumed or cancelled are on their way; their results are waited for.',
      on: {
        'run.cancelRequested': {
          target: '#run.running.closing',
          actions: { type: 'cancelRun', params: { note: '[Run cancelled while tools were running.]' } },
        },
      },
      always: [
        { guard: 'isTimeOver', target: 'cancellingCalls' },
        { guard: 'hasApplicable', actions: ['applyDecisions', 'markApplied'] },
        { guard: 'isOnlyHeld', target: 'judging' },
        { guard: 'isReplayOver', target: 'committingReplay' },
      ],
    },
    cancellingCalls: {
      description: 'The running time is over: every open call is cancelled, those of earlier rounds too.',
      entry: 'cancelEveryCall',
      always: { guard: 'hasNoOpenCalls', target: 'committingReplay' },
    },
    committingReplay: {
      description: 'Commit point of replayed results.',
      entry: ['recordResults', 'forgetSettled', { type: 'checkpoint', params: { name: 'ToolResultsCommitted' } }],
      always: 'draining',
    },
    judging: {
      description: 'Wait, end, or ask the model again.',
      always: [
        { guard: 'mustWait', target: '#run.running.closing', actions: 'suspendRun' },
        { guard: 'isUnheardAtEnd', target: '#run.running.turn', actions: 'forgetPlannedOutcome' },
        { guard: 'isEndPutOff', target: '#run.running.turn' },
        { guard: 'hasPlannedOutcome', target: '#run.running.closing', actions: 'conclude' },
        {
          guard: 'hasPlaceholders',
          target: '#run.running.turn',
          actions: ['recordPlaceholders', 'markPlaceholders'],
        },
        { target: '#run.running.turn' },
      ],
    },
  },
})
