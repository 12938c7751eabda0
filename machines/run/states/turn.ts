import { runSetup } from '../run.setup.ts'
import { modelCallInput } from '../run.turn.ts'

/** State `running.turn` of the run. */
export const turn = runSetup.createStateConfig({
  description: 'One call of the model, with the phases around it.',
  initial: 'checkingLimits',
  states: {
    checkingLimits: {
      description: 'Limits are checked before the model is asked.',
      always: [
        {
          guard: { type: 'reachesLimit', params: { action: 'error' } },
          target: '#run.running.closing',
          actions: 'failAtLimit',
        },
        {
          guard: { type: 'reachesLimit', params: { action: 'stop' } },
          target: '#run.running.resumeGate',
          actions: 'stopAtLimit',
        },
        {
          guard: { type: 'reachesLimit', params: { action: 'finish' } },
          actions: ['finishAtLimit', 'restartTimer'],
        },
        { guard: { type: 'isWatched', params: { phase: 'stepStart' } }, target: 'startingStep' },
        { guard: { type: 'isWatched', params: { phase: 'beforeInference' } }, target: 'preparingInference' },
        { target: 'callingModel' },
      ],
    },
    startingStep: {
      description: 'Phase stepStart; a plugin may end the run here.',
      always: [
        { guard: 'isFinalTimeOver', target: '#run.running.resumeGate', actions: 'stopFinalAnswer' },
        { guard: 'isTimeOver', target: 'checkingLimits' },
      ],
      invoke: {
        src: 'runPhase',
        id: 'stepStart',
        input: ({ context }) => ({ phase: 'stepStart', turn: context.turn + 1 }),
        onDone: [
          {
            guard: { type: 'terminates', params: ({ event }) => ({ verdict: event.output }) },
            target: '#run.running.resumeGate',
            actions: { type: 'takePhase', params: ({ event }) => ({ verdict: event.output }) },
          },
          {
            guard: { type: 'isWatched', params: { phase: 'beforeInference' } },
            target: 'preparingInference',
            actions: { type: 'takePhase', params: ({ event }) => ({ verdict: event.output }) },
          },
          {
            target: 'callingModel',
            actions: { type: 'takePhase', params: ({ event }) => ({ verdict: event.output }) },
          },
        ],
      },
    },
    preparingInference: {
      description: 'Phase beforeInference; a plugin may end the run here.',
      always: [
        { guard: 'isFinalTimeOver', target: '#run.running.resumeGate', actions: 'stopFinalAnswer' },
        { guard: 'isTimeOver', target: 'checkingLimits' },
      ],
      invoke: {
        src: 'runPhase',
        id: 'beforeInference',
        input: ({ context }) => ({ phase: 'beforeInference', turn: context.turn + 1 }),
        onDone: [
          {
            guard: { type: 'terminates', params: ({ event }) => ({ verdict: event.output }) },
            target: '#run.running.resumeGate',
            actions: { type: 'takePhase', params: ({ event }) => ({ verdict: event.output }) },
          },
          {
            target: 'callingModel',
            actions: { type: 'takePhase', params: ({ event }) => ({ verdict: event.output }) },
          },
        ],
      },
    },
    callingModel: {
      description: 'The model is asked; decisions reach their calls meanwhile.',
      entry: ['takeTurnStart', 'announceTurnStart'],
      always: [
        {
          guard: 'isFinalTimeOver',
          target: '#run.running.resumeGate',
          actions: ['stopFinalAnswer', 'announceTurnEnd'],
        },
        { guard: 'isTimeOver', target: '#run.running.resumeGate', actions: 'announceTurnEnd' },
        { guard: 'appliesAtOnce', actions: ['applyDecisions', 'markApplied'] },
      ],
      on: {
        'run.cancelRequested': {
          target: '#run.running.closing',
          actions: {
            type: 'cancelRun',
            params: ({ event }) => ({
              note: event.isEarly === true ? null : '[Run cancelled while the model was answering.]',
            }),
          },
        },
      },
      invoke: {
        src: 'modelCall',
        id: 'modelCall',
        input: modelCallInput,
        onDone: [
          {
            guard: { type: 'hasFailed', params: ({ event }) => ({ outcome: event.output }) },
            target: '#run.running.closing',
            actions: [
              { type: 'takeAnswer', params: ({ event }) => ({ outcome: event.output }) },
              'recordFailure',
              'announceTurnEnd',
            ],
          },
          {
            guard: { type: 'isWatched', params: { phase: 'afterInference' } },
            target: 'reviewingAnswer',
            actions: { type: 'takeAnswer', params: ({ event }) => ({ outcome: event.output }) },
          },
          {
            guard: { type: 'isWatched', params: { phase: 'stepEnd' } },
            target: 'endingStep',
            actions: { type: 'takeAnswer', params: ({ event }) => ({ outcome: event.output }) },
          },
          {
            target: 'committingTurn',
            actions: { type: 'takeAnswer', params: ({ event }) => ({ outcome: event.output }) },
          },
        ],
      },
    },
    reviewingAnswer: {
      description: 'Phase afterInference; a plugin may end the run here.',
      invoke: {
        src: 'runPhase',
        id: 'afterInference',
        input: ({ context }) => ({ phase: 'afterInference', turn: context.turn }),
        onDone: [
          {
            guard: { type: 'isWatched', params: { phase: 'stepEnd' } },
            target: 'endingStep',
            actions: { type: 'takePhase', params: ({ event }) => ({ verdict: event.output }) },
          },
          {
            target: 'committingTurn',
            actions: { type: 'takePhase', params: ({ event }) => ({ verdict: event.output }) },
          },
        ],
      },
    },
    endingStep: {
      description: 'Phase stepEnd.',
      invoke: {
        src: 'runPhase',
        id: 'stepEnd',
        input: ({ context }) => ({ phase: 'stepEnd', turn: context.turn }),
        onDone: {
          target: 'committingTurn',
          actions: { type: 'takePhase', params: ({ event }) => ({ verdict: event.output }) },
        },
      },
    },
    committingTurn: {
      description: 'Commit point of the answer.',
      entry: ['announceDropped', { type: 'checkpoint', params: { name: 'AssistantTurnCommitted' } }],
      always: [
        { guard: 'skipsRound', target: '#run.running.toolRound.leavingRound' },
        { guard: 'hasCalls', target: '#run.running.toolRound', actions: 'enterRound' },
        { target: '#run.running.resumeGate', actions: ['planNaturalEnd', 'announceTurnEnd'] },
      ],
    },
  },
})
