import { onErrorInput, outputOf } from './run.closing.ts'
import { timeLeft } from './run.limits.ts'
import { buildContextInput, filterPromptInput, filterQueuedInput, recallInput } from './run.queue.ts'
import { askManagerInput } from './run.permissions.ts'
import { runSetup } from './run.setup.ts'
import { afterTurnInput, holdRunInput, initialContext, modelCallInput } from './run.turn.ts'

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
        onDone: { actions: [{ type: 'takeTimeOver', params: ({ event }) => event }, 'dropTimer'] },
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
        'modelCall.paid': { actions: { type: 'takePaid', params: ({ event }) => event } },
      },
      states: {
        opening: {
          description:
            'A new run processes its input; a waiting run continues. When the time is over, open questions are abandoned, and unchecked input is not kept.',
          initial: 'beforeRun',
          always: {
            guard: 'isTimeOver',
            target: '#run.running.closing',
            actions: ['endAtLimit', 'takeInput', 'conclude'],
          },
          states: {
            beforeRun: {
              description: 'Ask or pass: a new run, of which only the input is stored.',
              always: [
                { guard: { type: 'isWatched', params: { phase: 'beforeRun' } }, target: 'askingBeforeRun' },
                { target: 'filterInput', actions: 'announceStart' },
              ],
            },
            askingBeforeRun: {
              description: 'Hook beforeRun; false ends the run before it starts, and nothing is kept of its input.',
              invoke: {
                src: 'ask',
                id: 'beforeRun',
                input: ({ context }) => ({ phase: 'beforeRun', turn: context.turn }),
                onDone: [
                  {
                    guard: { type: 'terminates', params: ({ event }) => ({ verdict: event.output }) },
                    target: '#run.running.closing',
                    actions: [{ type: 'takePhase', params: ({ event }) => event }, 'takeInput', 'conclude'],
                  },
                  {
                    target: 'filterInput',
                    actions: [{ type: 'takePhase', params: ({ event }) => event }, 'announceStart'],
                  },
                ],
              },
            },
            filterInput: {
              description: 'Ask or pass: the input filters.',
              always: [
                { guard: { type: 'isWatched', params: { phase: 'filterInput' } }, target: 'filteringInput' },
                { target: 'recall' },
              ],
            },
            filteringInput: {
              description: 'The input filters check the prompt; a rejected prompt is not kept.',
              invoke: {
                src: 'ask',
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
                    target: 'recall',
                    actions: { type: 'takeWarnings', params: ({ event }) => event },
                  },
                ],
              },
            },
            recall: {
              description: 'Ask or pass: the memory.',
              always: [
                { guard: { type: 'isWatched', params: { phase: 'recall' } }, target: 'recalling' },
                { target: 'buildContext' },
              ],
            },
            recalling: {
              description: 'The memory is asked once what it knows about the user and the input.',
              invoke: {
                src: 'ask',
                id: 'recall',
                input: recallInput,
                onDone: {
                  target: 'buildContext',
                  actions: { type: 'takeRecalled', params: ({ event }) => event },
                },
              },
            },
            buildContext: {
              description: 'Ask or pass: the context builder.',
              always: [
                { guard: { type: 'isWatched', params: { phase: 'buildContext' } }, target: 'buildingContext' },
                { target: 'runStart' },
              ],
            },
            buildingContext: {
              description: 'The context builder derives instructions and messages, once.',
              invoke: {
                src: 'ask',
                id: 'buildContext',
                input: buildContextInput,
                onDone: {
                  target: 'runStart',
                  actions: { type: 'takeContext', params: ({ event }) => event },
                },
              },
            },
            restarting: {
              description: 'A waiting run continues: same id, turns and limits.',
              entry: ['resumeRun', 'announceResume'],
              always: 'runStart',
            },
            runStart: {
              description: 'Ask or pass: phase runStart.',
              always: [
                { guard: { type: 'isWatched', params: { phase: 'runStart' } }, target: 'startingRun' },
                { target: 'committingUser' },
              ],
            },
            startingRun: {
              description: 'Phase runStart; the input is accepted, and is kept even if the time is over.',
              always: { guard: 'isTimeOver', target: 'committingUser' },
              invoke: {
                src: 'ask',
                id: 'runStart',
                input: ({ context }) => ({ phase: 'runStart', turn: context.turn, isResumed: context.isResumed }),
                onDone: {
                  target: 'committingUser',
                  actions: [
                    { type: 'takeRunStart', params: ({ event }) => event },
                    { type: 'takeHolds', params: ({ event }) => event },
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
          description: 'Between rounds: decisions are processed, replayed and committed before the model call.',
          initial: 'draining',
          states: {
            draining: {
              description: 'Is there something to replay or to commit?',
              always: [
                { guard: 'isTimeOverBesideCalls', target: 'cancellingCalls' },
                { guard: 'goesStraightOn', target: '#run.running.turn.callingModel' },
                { guard: 'mustAskManager', target: 'askingManager' },
                { guard: 'mustReplay', target: 'replaying' },
                { guard: 'hasSettledCalls', target: 'committingReplay' },
                { target: 'judging' },
              ],
            },
            askingManager: {
              description:
                'The permission manager requests the blocked calls, which holds the run, or receives the answer.',
              always: { guard: 'isTimeOver', target: 'draining' },
              invoke: {
                src: 'askManager',
                id: 'askManager',
                input: askManagerInput,
                onDone: [
                  {
                    guard: { type: 'hasManagerFailed', params: ({ event }) => ({ verdict: event.output }) },
                    target: '#run.running.closing',
                    actions: { type: 'failOnManager', params: ({ event }) => event },
                  },
                  {
                    target: 'draining',
                    actions: [
                      { type: 'takePhase', params: ({ event }) => event },
                      { type: 'takeHolds', params: ({ event }) => event },
                      'forgetAsked',
                    ],
                  },
                ],
              },
            },
            replaying: {
              description: 'Calls that a decision resumed or cancelled are running; the run waits for them.',
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
                { guard: 'mustFilterQueued', target: '#run.running.turn.before.filteringQueued' },
                { guard: 'hasQueued', target: '#run.running.turn.before.takingQueued' },
                { target: 'before' },
              ],
            },
            before: {
              description: 'The phases before the model call, in a line; the end of the running time stops them.',
              initial: 'stepStart',
              always: [
                { guard: 'isFinalTimeOver', target: '#run.running.resumeGate', actions: 'stopFinalAnswer' },
                { guard: 'isTimeOver', target: 'checkingLimits' },
              ],
              states: {
                filteringQueued: {
                  description: 'The input filters check each queued message; a rejected one is dropped.',
                  entry: 'startFiltering',
                  invoke: {
                    src: 'ask',
                    id: 'filterQueued',
                    input: filterQueuedInput,
                    onDone: {
                      target: '#run.running.resumeGate',
                      actions: [
                        { type: 'announceRejectedQueued', params: ({ event }) => ({ verdict: event.output }) },
                        { type: 'recordRefused', params: ({ event }) => ({ verdict: event.output }) },
                        { type: 'takeFilteredQueued', params: ({ event }) => event },
                      ],
                    },
                  },
                },
                takingQueued: {
                  description: 'Commit point of queued messages.',
                  entry: ['recordQueued', 'takeQueued', { type: 'checkpoint', params: { name: 'UserMessage' } }],
                  always: 'stepStart',
                },
                stepStart: {
                  description: 'Ask or pass: phase stepStart.',
                  always: [
                    { guard: { type: 'isWatched', params: { phase: 'stepStart' } }, target: 'startingStep' },
                    { target: 'beforeModel' },
                  ],
                },
                startingStep: {
                  description: 'Phase stepStart; a plugin may end the run here.',
                  invoke: {
                    src: 'ask',
                    id: 'stepStart',
                    input: ({ context }) => ({ phase: 'stepStart', turn: context.turn + 1 }),
                    onDone: [
                      {
                        guard: { type: 'terminates', params: ({ event }) => ({ verdict: event.output }) },
                        target: '#run.running.resumeGate',
                        actions: { type: 'takePhase', params: ({ event }) => event },
                      },
                      {
                        target: 'beforeModel',
                        actions: { type: 'takePhase', params: ({ event }) => event },
                      },
                    ],
                  },
                },
                beforeModel: {
                  description: 'Ask or pass: phase beforeModel.',
                  always: [
                    {
                      guard: { type: 'isWatched', params: { phase: 'beforeModel' } },
                      target: 'preparingModel',
                    },
                    { target: 'beforeTurn' },
                  ],
                },
                preparingModel: {
                  description: 'Phase beforeModel; a plugin may end the run here.',
                  invoke: {
                    src: 'ask',
                    id: 'beforeModel',
                    input: ({ context }) => ({ phase: 'beforeModel', turn: context.turn + 1 }),
                    onDone: [
                      {
                        guard: { type: 'terminates', params: ({ event }) => ({ verdict: event.output }) },
                        target: '#run.running.resumeGate',
                        actions: { type: 'takePhase', params: ({ event }) => event },
                      },
                      {
                        target: 'beforeTurn',
                        actions: { type: 'takePhase', params: ({ event }) => event },
                      },
                    ],
                  },
                },
                beforeTurn: {
                  description: 'Ask or pass: hook beforeTurn.',
                  always: [
                    { guard: { type: 'isWatched', params: { phase: 'beforeTurn' } }, target: 'askingBeforeTurn' },
                    { target: '#run.running.turn.callingModel' },
                  ],
                },
                askingBeforeTurn: {
                  description: 'Hook beforeTurn; false ends the run before the turn starts.',
                  invoke: {
                    src: 'ask',
                    id: 'beforeTurn',
                    input: ({ context }) => ({ phase: 'beforeTurn', turn: context.turn + 1 }),
                    onDone: [
                      {
                        guard: { type: 'terminates', params: ({ event }) => ({ verdict: event.output }) },
                        target: '#run.running.resumeGate',
                        actions: { type: 'takePhase', params: ({ event }) => event },
                      },
                      {
                        target: '#run.running.turn.callingModel',
                        actions: { type: 'takePhase', params: ({ event }) => event },
                      },
                    ],
                  },
                },
              },
            },
            callingModel: {
              description: 'The model is asked; decisions reach their calls meanwhile.',
              tags: 'asked',
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
                'run.failed': {
                  target: '#run.running.closing',
                  actions: [{ type: 'failRun', params: ({ event }) => ({ error: event.error }) }, 'announceTurnEnd'],
                },
              },
              invoke: {
                src: 'modelCall',
                id: 'modelCall',
                input: modelCallInput,
                onDone: [
                  {
                    guard: { type: 'isExhausted', params: ({ event }) => ({ outcome: event.output }) },
                    target: 'givingBack',
                    actions: { type: 'takeExhausted', params: ({ event }) => ({ outcome: event.output }) },
                  },
                  {
                    guard: { type: 'holdsOnFailure', params: ({ event }) => ({ outcome: event.output }) },
                    target: '#run.running.turn.after.holdingRun',
                    actions: { type: 'takeAnswer', params: ({ event }) => ({ outcome: event.output }) },
                  },
                  {
                    guard: { type: 'hasFailed', params: ({ event }) => ({ outcome: event.output }) },
                    target: 'endingTurn',
                    actions: [
                      { type: 'takeAnswer', params: ({ event }) => ({ outcome: event.output }) },
                      'recordFailure',
                    ],
                  },
                  {
                    guard: { type: 'mayAnswerAgain', params: ({ event }) => ({ outcome: event.output }) },
                    target: 'givingBack',
                    actions: [
                      { type: 'recordRefusal', params: ({ event }) => ({ outcome: event.output }) },
                      { type: 'takeRefusal', params: ({ event }) => ({ outcome: event.output }) },
                    ],
                  },
                  {
                    guard: { type: 'isRefused', params: ({ event }) => ({ outcome: event.output }) },
                    target: 'givingBack',
                    actions: [
                      { type: 'takeRefusal', params: ({ event }) => ({ outcome: event.output }) },
                      'planRefusedEnd',
                    ],
                  },
                  {
                    target: 'after',
                    actions: { type: 'takeAnswer', params: ({ event }) => ({ outcome: event.output }) },
                  },
                ],
              },
            },
            after: {
              description:
                'The phases between the answer and its commit, in a line; a cancel, a failure or the end of the time also ends the turn.',
              initial: 'afterModel',
              always: { guard: 'isAnswerTimeOver', target: 'committingTurn', actions: 'planAtLimit' },
              on: {
                'run.cancelRequested': {
                  target: '#run.running.closing',
                  actions: [{ type: 'cancelRun', params: { note: null } }, 'announceTurnEnd'],
                },
                'run.failed': {
                  target: '#run.running.closing',
                  actions: [{ type: 'failRun', params: ({ event }) => ({ error: event.error }) }, 'announceTurnEnd'],
                },
              },
              states: {
                afterModel: {
                  description: 'Ask or pass: phase afterModel.',
                  tags: 'answered',
                  always: [
                    { guard: { type: 'isWatched', params: { phase: 'afterModel' } }, target: 'reviewingAnswer' },
                    { target: 'stepEnd' },
                  ],
                },
                reviewingAnswer: {
                  description: 'Phase afterModel; a plugin may end the run here.',
                  tags: 'answered',
                  invoke: {
                    src: 'ask',
                    id: 'afterModel',
                    input: ({ context }) => ({ phase: 'afterModel', turn: context.turn }),
                    onDone: {
                      target: 'stepEnd',
                      actions: { type: 'takePhase', params: ({ event }) => event },
                    },
                  },
                },
                stepEnd: {
                  description: 'Ask or pass: phase stepEnd.',
                  tags: 'answered',
                  always: [
                    { guard: { type: 'isWatched', params: { phase: 'stepEnd' } }, target: 'endingStep' },
                    { target: '#run.running.turn.committingTurn' },
                  ],
                },
                endingStep: {
                  description: 'Phase stepEnd.',
                  tags: 'answered',
                  invoke: {
                    src: 'ask',
                    id: 'stepEnd',
                    input: ({ context }) => ({ phase: 'stepEnd', turn: context.turn }),
                    onDone: {
                      target: '#run.running.turn.committingTurn',
                      actions: { type: 'takePhase', params: ({ event }) => event },
                    },
                  },
                },
                holdingRun: {
                  description: 'No model answered: the run waits until somebody has one asked again.',
                  tags: 'asked',
                  invoke: {
                    src: 'holdRun',
                    id: 'holdRun',
                    input: holdRunInput,
                    onDone: {
                      target: '#run.running.turn.givingBack',
                      actions: [
                        { type: 'takePhase', params: ({ event }) => event },
                        { type: 'takeHolds', params: ({ event }) => event },
                        'planRetryAfterHold',
                      ],
                    },
                  },
                },
              },
            },
            committingTurn: {
              description: 'Commit point of the answer.',
              tags: 'answered',
              entry: ['announceDropped', { type: 'checkpoint', params: { name: 'AssistantTurnCommitted' } }],
              always: [
                { guard: 'skipsRound', target: '#run.running.toolRound.leavingRound' },
                { guard: 'hasCalls', target: '#run.running.toolRound', actions: 'enterRound' },
                { guard: 'isContractBroken', target: 'endingTurn', actions: 'failOnContract' },
                { guard: 'isMisfit', target: 'answering' },
                { target: 'ended', actions: ['planNaturalEnd', 'announceTurnEnd'] },
              ],
            },
            answering: {
              description: 'The answer does not fit the output contract: the model is told why.',
              tags: 'answered',
              entry: ['recordCorrection', 'takeCorrection'],
              always: 'endingTurn',
            },
            givingBack: {
              description: 'No model was asked or gave an accepted answer: this does not count as a turn.',
              tags: 'asked',
              entry: ['announceTurnEnd', 'giveTurnBack'],
              always: 'ended',
            },
            endingTurn: {
              description: 'The turn is over, but not by its answer or its results.',
              entry: 'announceTurnEnd',
              always: 'ended',
            },
            ended: {
              description: 'The end of the turn is announced while there is time; a certain ending stays.',
              initial: 'afterTurn',
              always: { guard: 'isHookTimeOver', target: '.goingOn' },
              on: { 'run.cancelRequested': { guard: 'hasOutcome', target: '#run.running.closing' } },
              states: {
                afterTurn: {
                  description: 'Ask or pass: hook afterTurn.',
                  always: [
                    { guard: { type: 'isWatched', params: { phase: 'afterTurn' } }, target: 'askingAfterTurn' },
                    { target: 'goingOn' },
                  ],
                },
                askingAfterTurn: {
                  description: 'Hook afterTurn.',
                  entry: ['allowHook', 'timeHook'],
                  invoke: { src: 'ask', id: 'afterTurn', input: afterTurnInput, onDone: 'goingOn' },
                },
                goingOn: {
                  description: 'Decides how the run continues.',
                  always: [
                    { guard: 'hasOutcome', target: '#run.running.closing' },
                    { target: '#run.running.resumeGate' },
                  ],
                },
              },
            },
          },
        },
        toolRound: {
          description: 'The calls of one turn run, in batches as wide as the executor.',
          tags: 'answered',
          initial: 'executing',
          states: {
            executing: {
              description: 'Calls of the batch are running; decisions reach other calls meanwhile.',
              on: {
                'run.cancelRequested': {
                  target: '#run.running.closing',
                  actions: [
                    { type: 'cancelRun', params: { note: '[Run cancelled while tools were running.]' } },
                    'announceTurnEnd',
                  ],
                },
                'run.failed': {
                  target: '#run.running.closing',
                  actions: [{ type: 'failRun', params: ({ event }) => ({ error: event.error }) }, 'announceTurnEnd'],
                },
              },
              always: [
                {
                  guard: 'hasConflict',
                  target: '#run.running.closing',
                  actions: ['failOnConflict', 'announceTurnEnd'],
                },
                { guard: 'isTimeOver', target: 'cancellingRound' },
                { guard: 'isRoundOver', target: 'committingResults' },
                { guard: 'isBatchOver', target: 'choosingNext' },
                { guard: 'appliesAtOnce', actions: ['applyDecisions', 'markApplied'] },
              ],
            },
            choosingNext: {
              description: 'After a batch: the rest is skipped, a replay goes first, or the next batch starts.',
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
              always: '#run.running.turn.ended',
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
              description: 'A cancelled or failed run ends its unfinished calls.',
              entry: ['leaveRound', 'cancelOpenCalls'],
              always: { guard: 'isSettled', target: 'telling' },
            },
            telling: {
              description:
                'The ending or the wait is announced; after a cancel or the end of the time, a certain ending does not wait for that.',
              initial: 'onError',
              always: { guard: 'isHookTimeOver', target: 'committingFinished' },
              on: { 'run.cancelRequested': { guard: 'isEndMade', target: 'committingFinished' } },
              states: {
                onError: {
                  description: 'Ask or pass: hook onError, of a run that ends in error.',
                  always: [{ guard: 'isErrorHeard', target: 'tellingError' }, { target: 'runEnd' }],
                },
                tellingError: {
                  description: 'Hook onError.',
                  entry: ['allowHook', 'timeHook'],
                  invoke: { src: 'ask', id: 'onError', input: onErrorInput, onDone: 'runEnd' },
                },
                runEnd: {
                  description: 'Ask or pass: phase runEnd.',
                  always: [
                    { guard: { type: 'isWatched', params: { phase: 'runEnd' } }, target: 'runningEnd' },
                    { target: '#run.running.closing.committingFinished' },
                  ],
                },
                runningEnd: {
                  description: 'Phase runEnd; messages meanwhile may defer the end.',
                  entry: ['allowHook', 'timeHook'],
                  invoke: {
                    src: 'ask',
                    id: 'runEnd',
                    input: ({ context }) => ({ phase: 'runEnd', turn: context.turn }),
                    onDone: [
                      { guard: 'isReopened', target: '#run.running.resumeGate', actions: 'reopen' },
                      { target: '#run.running.closing.committingFinished' },
                    ],
                  },
                },
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
              always: [{ guard: 'isWait', target: '#run.waiting' }, { target: 'afterRun' }],
            },
            afterRun: {
              description: 'Ask or pass: hook afterRun.',
              always: [
                { guard: { type: 'isWatched', params: { phase: 'afterRun' } }, target: 'askingAfterRun' },
                { target: '#run.done' },
              ],
            },
            askingAfterRun: {
              description:
                'Hook afterRun, after the end is announced: the hook cannot change the end, and new messages are not delivered.',
              entry: ['allowHook', 'timeHook'],
              always: { guard: 'isHookTimeOver', target: '#run.done', actions: 'recordUndelivered' },
              on: {
                'run.cancelRequested': { target: '#run.done', actions: 'recordUndelivered' },
                'run.failed': {
                  target: '#run.done',
                  actions: [
                    { type: 'announceLateFailure', params: ({ event }) => ({ error: event.error }) },
                    'recordUndelivered',
                  ],
                },
              },
              invoke: {
                src: 'ask',
                id: 'afterRun',
                input: ({ context }) => ({ phase: 'afterRun', turn: context.turn, usage: context.usage }),
                onDone: { target: '#run.done', actions: 'recordUndelivered' },
              },
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
    done: { type: 'final', description: 'The run has ended.' },
  },
  on: {
    'decision.received': [
      {
        guard: { type: 'isKeptDecision', params: ({ event }) => ({ decision: event.decision }) },
        actions: { type: 'keepDecision', params: ({ event }) => ({ decision: event.decision }) },
      },
      {
        guard: { type: 'isKnownCall', params: ({ event }) => ({ callId: event.decision?.callId }) },
        actions: [
          { type: 'queueDecision', params: ({ event }) => ({ decision: event.decision, at: event.at }) },
          'tellDecided',
        ],
      },
    ],
    'message.queued': {
      actions: { type: 'queueMessages', params: ({ event }) => ({ queued: event.queued }) },
    },
    'message.posted': {
      actions: { type: 'recordPosted', params: ({ event }) => ({ message: event.message }) },
    },
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

/** The chart of a run. The driver binds its actors and actions. */
export const runMachine: RunMachine = machine
