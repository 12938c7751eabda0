import { runSetup } from '../run.setup.ts'
import { modelCallInput } from '../run.turn.ts'
import { failsTurn } from './turn-endings.ts'

/** State `running.turn.callingModel` of the run. */
export const callingModel = runSetup.createStateConfig({
  description: 'The model is asked; decisions reach their calls meanwhile.',
  entry: ['takeTurnStart', 'announceTurnStart'],
  always: [
    { guard: 'isFinalTimeOver', target: 'endingTurn', actions: 'stopFinalAnswer' },
    { guard: 'isTimeOver', target: 'endingTurn' },
    { guard: 'appliesAtOnce', actions: ['applyDecisions', 'markApplied'] },
  ],
  on: {
    'run.cancelRequested': {
      target: '#run.running.closing',
      actions: [
        {
          type: 'cancelRun',
          params: ({ event }) => ({
            note: event.isEarly === true ? null : '[Run cancelled while the model was answering.]',
          }),
        },
        'announceTurnEnd',
      ],
    },
    'run.failed': failsTurn,
  },
  invoke: {
    src: 'modelCall',
    id: 'modelCall',
    input: modelCallInput,
    onDone: [
      {
        guard: { type: 'holdsOnFailure', params: ({ event }) => ({ outcome: event.output }) },
        target: 'holdingRun',
        actions: { type: 'takeAnswer', params: ({ event }) => ({ outcome: event.output }) },
      },
      {
        guard: { type: 'hasFailed', params: ({ event }) => ({ outcome: event.output }) },
        target: 'endingTurn',
        actions: [{ type: 'takeAnswer', params: ({ event }) => ({ outcome: event.output }) }, 'recordFailure'],
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
})
