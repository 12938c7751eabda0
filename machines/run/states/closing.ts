import { runSetup } from '../run.setup.ts'

/** State `running.closing` of the run. */
export const closing = runSetup.createStateConfig({
  description: 'Every ending and every wait passes here.',
  initial: 'settlingCalls',
  on: {
    'run.failed': {
      guard: 'hasErred',
      target: '.committingFinished',
      actions: { type: 'failRun', params: ({ event }) => ({ error: event.error }) },
    },
  },
  states: {
    settlingCalls: {
      description: 'A cancelled or failed run takes its unfinished calls with it.',
      entry: ['leaveRound', 'cancelOpenCalls'],
      always: [
        { guard: 'isSettledAndWatched', target: 'runningEnd' },
        { guard: 'isSettled', target: 'committingFinished' },
      ],
    },
    runningEnd: {
      description: 'Phase runEnd; an ending that was made does not wait for it once somebody cancels.',
      on: { 'run.cancelRequested': { guard: 'isEnd', target: 'committingFinished' } },
      invoke: {
        src: 'runPhase',
        id: 'runEnd',
        input: ({ context }) => ({ phase: 'runEnd', turn: context.turn }),
        onDone: 'committingFinished',
      },
    },
    committingFinished: {
      description: 'Commit point of the ending or the wait.',
      entry: ['recordEnd', 'forgetSettled', { type: 'checkpoint', params: { name: 'RunFinished' } }, 'announceEnd'],
      always: [{ guard: 'isWait', target: '#run.waiting' }, { target: '#run.done' }],
    },
  },
})
