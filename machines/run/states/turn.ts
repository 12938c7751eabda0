import { filterQueuedInput } from '../run.queue.ts'
import { runSetup } from '../run.setup.ts'
import { holdRunInput } from '../run.turn.ts'
import { callingModel } from './calling-model.ts'
import { cancelsTurn, failsTurn } from './turn-endings.ts'
import { endsRun, takesPhase } from './phase-verdicts.ts'

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
        { guard: 'mustFilterQueued', target: 'filteringQueued' },
        { guard: 'hasQueued', target: 'takingQueued' },
        { guard: { type: 'isWatched', params: { phase: 'stepStart' } }, target: 'startingStep' },
        { guard: { type: 'isWatched', params: { phase: 'beforeInference' } }, target: 'preparingInference' },
        { guard: { type: 'isWatched', params: { phase: 'beforeTurn' } }, target: 'askingBeforeTurn' },
        { target: 'callingModel' },
      ],
    },
    filteringQueued: {
      description: 'What somebody said to the run passes the input filters, each alone; the refused is dropped.',
      entry: 'startFiltering',
      always: [
        { guard: 'isFinalTimeOver', target: '#run.running.resumeGate', actions: 'stopFinalAnswer' },
        { guard: 'isTimeOver', target: 'checkingLimits' },
      ],
      invoke: {
        src: 'filterInput',
        id: 'filterQueued',
        input: filterQueuedInput,
        onDone: {
          target: '#run.running.resumeGate',
          actions: [
            { type: 'announceRejectedQueued', params: ({ event }) => ({ verdict: event.output }) },
            { type: 'takeFilteredQueued', params: ({ event }) => ({ verdict: event.output }) },
          ],
        },
      },
    },
    takingQueued: {
      description: 'Commit point of what somebody said to the run.',
      entry: ['recordQueued', 'takeQueued', { type: 'checkpoint', params: { name: 'UserMessage' } }],
      always: [
        { guard: { type: 'isWatched', params: { phase: 'stepStart' } }, target: 'startingStep' },
        { guard: { type: 'isWatched', params: { phase: 'beforeInference' } }, target: 'preparingInference' },
        { guard: { type: 'isWatched', params: { phase: 'beforeTurn' } }, target: 'askingBeforeTurn' },
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
            guard: endsRun,
            target: '#run.running.resumeGate',
            actions: takesPhase,
          },
          {
            guard: { type: 'isWatched', params: { phase: 'beforeInference' } },
            target: 'preparingInference',
            actions: takesPhase,
          },
          {
            guard: { type: 'isWatched', params: { phase: 'beforeTurn' } },
            target: 'askingBeforeTurn',
            actions: takesPhase,
          },
          {
            target: 'callingModel',
            actions: takesPhase,
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
            guard: endsRun,
            target: '#run.running.resumeGate',
            actions: takesPhase,
          },
          {
            guard: { type: 'isWatched', params: { phase: 'beforeTurn' } },
            target: 'askingBeforeTurn',
            actions: takesPhase,
          },
          {
            target: 'callingModel',
            actions: takesPhase,
          },
        ],
      },
    },
    askingBeforeTurn: {
      description: 'Hook beforeTurn; false ends the run before the turn starts.',
      always: [
        { guard: 'isFinalTimeOver', target: '#run.running.resumeGate', actions: 'stopFinalAnswer' },
        { guard: 'isTimeOver', target: 'checkingLimits' },
      ],
      invoke: {
        src: 'runPhase',
        id: 'beforeTurn',
        input: ({ context }) => ({ phase: 'beforeTurn', turn: context.turn + 1 }),
        onDone: [
          {
            guard: endsRun,
            target: '#run.running.resumeGate',
            actions: takesPhase,
          },
          {
            target: 'callingModel',
            actions: takesPhase,
          },
        ],
      },
    },
    callingModel,
    reviewingAnswer: {
      description: 'Phase afterInference; a plugin may end the run here.',
      on: { 'run.cancelRequested': cancelsTurn(null), 'run.failed': failsTurn },
      invoke: {
        src: 'runPhase',
        id: 'afterInference',
        input: ({ context }) => ({ phase: 'afterInference', turn: context.turn }),
        onDone: [
          {
            guard: { type: 'isWatched', params: { phase: 'stepEnd' } },
            target: 'endingStep',
            actions: takesPhase,
          },
          {
            target: 'committingTurn',
            actions: takesPhase,
          },
        ],
      },
    },
    endingStep: {
      description: 'Phase stepEnd.',
      on: { 'run.cancelRequested': cancelsTurn(null), 'run.failed': failsTurn },
      invoke: {
        src: 'runPhase',
        id: 'stepEnd',
        input: ({ context }) => ({ phase: 'stepEnd', turn: context.turn }),
        onDone: {
          target: 'committingTurn',
          actions: takesPhase,
        },
      },
    },
    committingTurn: {
      description: 'Commit point of the answer.',
      entry: ['announceDropped', { type: 'checkpoint', params: { name: 'AssistantTurnCommitted' } }],
      always: [
        { guard: 'skipsRound', target: '#run.running.toolRound.leavingRound' },
        { guard: 'hasCalls', target: '#run.running.toolRound', actions: 'enterRound' },
        { guard: 'isContractBroken', target: 'endingTurn', actions: 'failOnContract' },
        { guard: 'isMisfit', target: 'answering' },
        {
          guard: { type: 'isWatched', params: { phase: 'afterTurn' } },
          target: 'endingTurn',
          actions: 'planNaturalEnd',
        },
        { target: '#run.running.resumeGate', actions: ['planNaturalEnd', 'announceTurnEnd'] },
      ],
    },
    answering: {
      description: 'The answer does not fit the output contract: the model is told why.',
      entry: ['recordCorrection', 'takeCorrection'],
      always: 'endingTurn',
    },
    holdingRun: {
      description: 'No model can be reached: the run waits for somebody to have it asked again.',
      on: { 'run.cancelRequested': cancelsTurn(null), 'run.failed': failsTurn },
      invoke: {
        src: 'holdRun',
        id: 'holdRun',
        input: holdRunInput,
        onDone: {
          target: 'endingTurn',
          actions: [
            takesPhase,
            { type: 'takeHolds', params: ({ event }) => ({ verdict: event.output }) },
            'planRetryAfterHold',
          ],
        },
      },
    },
    endingTurn: {
      description: 'The turn is over; how the run goes on is decided.',
      entry: 'announceTurnEnd',
      always: [
        { guard: { type: 'isWatched', params: { phase: 'afterTurn' } }, target: 'askingAfterTurn' },
        { guard: 'hasOutcome', target: '#run.running.closing' },
        { target: '#run.running.resumeGate' },
      ],
    },
    askingAfterTurn: {
      description: 'Hook afterTurn, once the end of the turn is told; an ending that was made stays.',
      on: { 'run.cancelRequested': { guard: 'hasOutcome', target: '#run.running.closing' } },
      invoke: {
        src: 'runPhase',
        id: 'afterTurn',
        input: ({ context }) => ({
          phase: 'afterTurn',
          turn: context.turn,
          ...(context.isUnanswered ? { isUnanswered: true } : {}),
        }),
        onDone: [{ guard: 'hasOutcome', target: '#run.running.closing' }, { target: '#run.running.resumeGate' }],
      },
    },
  },
})
