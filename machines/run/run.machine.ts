import { outputOf } from './run.closing.ts'
import { timeLeft } from './run.limits.ts'
import { runSetup } from './run.setup.ts'
import { initialContext, modelCallInput } from './run.turn.ts'

const machine = runSetup.createMachine({
  id: 'run',
  description: 'One run of an agent: turns of the model, rounds of tool calls, waits for decisions, one ending.',
  context: initialContext,
  output: outputOf,
  initial: 'running',
  states: {
    running: {
      description: 'The engine has something to do, for as long as its running time allows.',
      initial: 'opening',
      invoke: {
        src: 'keepTime',
        id: 'runningTime',
        input: timeLeft,
        onDone: { actions: [{ type: 'takeTimeOver', params: ({ event }) => event.output }, 'dropTimer'] },
      },
      on: {
        'run.woken': {
          actions: [{ type: 'startClock', params: ({ event }) => event }, 'restartTimer'],
        },
        'toolCall.suspended': {
          actions: [{ type: 'takeSuspension', params: ({ event }) => ({ report: event }) }, 'tellDecided'],
        },
        'toolCall.settled': {
          actions: [
            { type: 'takeSettlement', params: ({ event }) => ({ report: event }) },
            { type: 'dropCall', params: ({ event }) => ({ callId: event.callId }) },
          ],
        },
      },
      states: {
        opening: {
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
        },
        resumeGate: {
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
              entry: [
                'recordResults',
                'forgetSettled',
                { type: 'checkpoint', params: { name: 'ToolResultsCommitted' } },
              ],
              always: 'draining',
            },
            judging: {
              description: 'Wait, end, or ask the model again.',
              always: [
                { guard: 'mustWait', target: '#run.running.closing', actions: 'suspendRun' },
                { guard: 'isUnheardAtEnd', target: '#run.running.turn', actions: 'forgetPlannedOutcome' },
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
        },
        turn: {
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
        },
        toolRound: {
          description: 'The calls of one turn run, in batches as wide as the executor.',
          initial: 'executing',
          states: {
            executing: {
              description: 'Calls of the batch are on their way; decisions for others reach them meanwhile.',
              on: {
                'run.cancelRequested': {
                  target: '#run.running.closing',
                  actions: { type: 'cancelRun', params: { note: '[Run cancelled while tools were running.]' } },
                },
              },
              always: [
                { guard: 'hasConflict', target: '#run.running.closing', actions: 'failOnConflict' },
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
              always: '#run.running.resumeGate',
            },
          },
        },
        closing: {
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
              entry: [
                'recordEnd',
                'forgetSettled',
                { type: 'checkpoint', params: { name: 'RunFinished' } },
                'announceEnd',
              ],
              always: [{ guard: 'isWait', target: '#run.waiting' }, { target: '#run.done' }],
            },
          },
        },
      },
    },
    waiting: {
      description: 'Suspended calls wait for decisions; no process needs to be alive.',
      entry: 'stopClock',
      always: [
        { guard: 'hasApplicable', target: '#run.running.opening.restarting' },
        { guard: 'hasNoOpenCalls', target: '#run.running.opening.restarting' },
      ],
      on: {
        'toolCall.suspended': {
          target: '#run.running.opening.restarting',
          actions: { type: 'takeSuspension', params: ({ event }) => ({ report: event }) },
        },
        'toolCall.settled': {
          target: '#run.running.opening.restarting',
          actions: [
            { type: 'takeSettlement', params: ({ event }) => ({ report: event }) },
            { type: 'dropCall', params: ({ event }) => ({ callId: event.callId }) },
          ],
        },
      },
    },
    done: { type: 'final' },
  },
  on: {
    'decision.received': [
      {
        guard: { type: 'isKeptDecision', params: ({ event }) => ({ decision: event.decision }) },
        actions: { type: 'keepDecision', params: ({ event }) => ({ decision: event.decision }) },
      },
      {
        guard: { type: 'isKnownCall', params: ({ event }) => ({ callId: event.decision.callId }) },
        actions: [
          { type: 'queueDecision', params: ({ event }) => ({ decision: event.decision, at: event.at }) },
          'tellDecided',
        ],
      },
    ],
    'call.cancelRequested': {
      guard: { type: 'isKnownCall', params: ({ event }) => ({ callId: event.callId }) },
      actions: { type: 'cancelCall', params: ({ event }) => ({ callId: event.callId, text: event.text }) },
    },
    'run.cancelRequested': {
      target: '#run.running.closing',
      actions: { type: 'cancelRun', params: { note: null } },
    },
    'run.failed': {
      target: '#run.running.closing',
      actions: { type: 'failRun', params: ({ event }) => ({ error: event.error }) },
    },
  },
})

type RunLogic = typeof machine

/** Layer 1: the run (requirements RUN-01 to RUN-04). */
export interface RunMachine extends RunLogic {}

/** The chart of a run; who drives it binds its actors and actions. */
export const runMachine: RunMachine = machine
