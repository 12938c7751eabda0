import { runSetup } from '../run.setup.ts'

/** State `running.opening` of the run. */
export const opening = runSetup.createStateConfig({
  description: 'A new run takes its input in; a waiting one goes on.',
  initial: 'starting',
  states: {
    starting: {
      description: 'A new run; nothing is stored of it but its input.',
      entry: 'announceStart',
      always: [
        { guard: { type: 'isWatched', params: { phase: 'runStart' } }, target: 'startingRun' },
        { target: 'committingUser' },
      ],
    },
    restarting: {
      description: 'A waiting run goes on: same id, turns and limits.',
      entry: ['resumeRun', 'announceResume'],
      always: [
        { guard: { type: 'isWatched', params: { phase: 'runStart' } }, target: 'startingRun' },
        { target: 'committingUser' },
      ],
    },
    startingRun: {
      description: 'Phase runStart.',
      invoke: {
        src: 'runPhase',
        id: 'runStart',
        input: ({ context }) => ({ phase: 'runStart', turn: context.turn, isResumed: context.isResumed }),
        onDone: {
          target: 'committingUser',
          actions: [
            { type: 'takePhase', params: ({ event }) => ({ verdict: event.output }) },
            { type: 'takeHolds', params: ({ event }) => ({ verdict: event.output }) },
          ],
        },
      },
    },
    committingUser: {
      description: 'Commit point of the input.',
      entry: ['recordInput', 'takeInput', { type: 'checkpoint', params: { name: 'UserMessage' } }],
      always: '#run.running.resumeGate',
    },
  },
})
