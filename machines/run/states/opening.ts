import { buildContextInput, filterPromptInput } from '../run.queue.ts'
import { runSetup } from '../run.setup.ts'
import { endsRun, takesPhase, takesRunStart } from './phase-verdicts.ts'

/** State `running.opening` of the run. */
export const opening = runSetup.createStateConfig({
  description: 'A new run takes its input in; a waiting one goes on.',
  initial: 'starting',
  states: {
    starting: {
      description: 'A new run; nothing is stored of it but its input.',
      always: [
        { guard: { type: 'isWatched', params: { phase: 'beforeLoop' } }, target: 'askingBeforeLoop' },
        {
          guard: { type: 'isWatched', params: { phase: 'filterInput' } },
          target: 'filteringInput',
          actions: 'announceStart',
        },
        {
          guard: { type: 'isWatched', params: { phase: 'buildContext' } },
          target: 'buildingContext',
          actions: 'announceStart',
        },
        {
          guard: { type: 'isWatched', params: { phase: 'runStart' } },
          target: 'startingRun',
          actions: 'announceStart',
        },
        { target: 'committingUser', actions: 'announceStart' },
      ],
    },
    askingBeforeLoop: {
      description: 'Hook beforeLoop; false ends the run before it starts, and nothing is kept of its input.',
      invoke: {
        src: 'runPhase',
        id: 'beforeLoop',
        input: ({ context }) => ({ phase: 'beforeLoop', turn: context.turn }),
        onDone: [
          {
            guard: endsRun,
            target: '#run.running.closing',
            actions: [takesPhase, 'takeInput', 'conclude'],
          },
          {
            guard: { type: 'isWatched', params: { phase: 'filterInput' } },
            target: 'filteringInput',
            actions: [takesPhase, 'announceStart'],
          },
          {
            guard: { type: 'isWatched', params: { phase: 'buildContext' } },
            target: 'buildingContext',
            actions: [takesPhase, 'announceStart'],
          },
          {
            guard: { type: 'isWatched', params: { phase: 'runStart' } },
            target: 'startingRun',
            actions: [takesPhase, 'announceStart'],
          },
          {
            target: 'committingUser',
            actions: [takesPhase, 'announceStart'],
          },
        ],
      },
    },
    filteringInput: {
      description: 'The prompt passes the input filters; of one that is refused nothing is kept.',
      invoke: {
        src: 'filterInput',
        id: 'filterInput',
        input: filterPromptInput,
        onDone: [
          {
            guard: { type: 'isRejected', params: ({ event }) => ({ verdict: event.output }) },
            target: '#run.running.closing',
            actions: [
              { type: 'takeRejection', params: ({ event }) => ({ verdict: event.output }) },
              { type: 'recordRejection', params: ({ event }) => ({ verdict: event.output }) },
              { type: 'announceRejected', params: ({ event }) => ({ verdict: event.output, kind: 'prompt' }) },
            ],
          },
          {
            guard: { type: 'isWatched', params: { phase: 'buildContext' } },
            target: 'buildingContext',
            actions: { type: 'takeWarnings', params: ({ event }) => ({ verdict: event.output }) },
          },
          {
            guard: { type: 'isWatched', params: { phase: 'runStart' } },
            target: 'startingRun',
            actions: { type: 'takeWarnings', params: ({ event }) => ({ verdict: event.output }) },
          },
          {
            target: 'committingUser',
            actions: { type: 'takeWarnings', params: ({ event }) => ({ verdict: event.output }) },
          },
        ],
      },
    },
    buildingContext: {
      description: 'The context builder makes instructions and messages of the input, once.',
      invoke: {
        src: 'buildContext',
        id: 'buildContext',
        input: buildContextInput,
        onDone: [
          {
            guard: { type: 'isWatched', params: { phase: 'runStart' } },
            target: 'startingRun',
            actions: { type: 'takeContext', params: ({ event }) => ({ built: event.output }) },
          },
          {
            target: 'committingUser',
            actions: { type: 'takeContext', params: ({ event }) => ({ built: event.output }) },
          },
        ],
      },
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
          actions: [takesRunStart, { type: 'takeHolds', params: ({ event }) => ({ verdict: event.output }) }],
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
