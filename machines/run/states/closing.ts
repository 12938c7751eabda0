import { onErrorInput } from '../run.closing.ts'
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
        { guard: 'isSettledInError', target: 'tellingError' },
        { guard: 'isSettledAndWatched', target: 'runningEnd' },
        { guard: 'isSettled', target: 'committingFinished' },
      ],
    },
    tellingError: {
      description: 'Hook onError.',
      on: { 'run.cancelRequested': 'committingFinished' },
      invoke: {
        src: 'runPhase',
        id: 'onError',
        input: onErrorInput,
        onDone: [
          { guard: { type: 'isWatched', params: { phase: 'runEnd' } }, target: 'runningEnd' },
          { target: 'committingFinished' },
        ],
      },
    },
    runningEnd: {
      description: 'Phase runEnd; an ending that was made does not wait for it once somebody cancels.',
      on: { 'run.cancelRequested': { guard: 'isEndMade', target: 'committingFinished' } },
      invoke: {
        src: 'runPhase',
        id: 'runEnd',
        input: ({ context }) => ({ phase: 'runEnd', turn: context.turn }),
        onDone: [
          { guard: 'isReopened', target: '#run.running.resumeGate', actions: 'reopen' },
          { target: 'committingFinished' },
        ],
      },
    },
    committingFinished: {
      description: 'Commit point of the ending or the wait.',
      entry: ['recordEnd', 'forgetSettled', { type: 'checkpoint', params: { name: 'RunFinished' } }, 'announceEnd'],
      always: [
        { guard: 'isWait', target: '#run.waiting' },
        { guard: { type: 'isWatched', params: { phase: 'afterLoop' } }, target: 'askingAfterLoop' },
        { target: '#run.done' },
      ],
    },
    askingAfterLoop: {
      description: 'Hook afterLoop, once the end is told; what is said meanwhile is not delivered.',
      on: {
        'run.cancelRequested': { target: '#run.done', actions: 'recordUndelivered' },
        'run.failed': {
          target: '#run.done',
          actions: [{ type: 'failRun', params: ({ event }) => ({ error: event.error }) }, 'recordUndelivered'],
        },
      },
      invoke: {
        src: 'runPhase',
        id: 'afterLoop',
        input: ({ context }) => ({ phase: 'afterLoop', turn: context.turn, usage: context.usage }),
        onDone: { target: '#run.done', actions: 'recordUndelivered' },
      },
    },
  },
})
