import { assign, enqueueActions, fromPromise, setup, stopChild } from 'xstate'
import type { CheckpointName, RunError } from '../../src/domain/outcome.ts'
import { modelCallMachine } from '../model-call/model-call.machine.ts'
import type { ModelCallOutcome } from '../model-call/model-call.types.ts'
import { toolCallMachine } from '../tool-call/tool-call.machine.ts'
import type { DecisionHead, ToolCallReport } from '../tool-call/tool-call.types.ts'
import type {
  Phase,
  PhaseVerdict,
  RunContext,
  RunEvent,
  RunInput,
  RunOutput,
  RunPhaseInput,
  LimitAction,
} from './run.types.ts'
import * as facts from './run.facts.ts'
import * as records from './run.records.ts'
import * as rounds from './run.rounds.ts'
import * as updates from './run.updates.ts'

type Suspended = Extract<ToolCallReport, { type: 'toolCall.suspended' }>
type Settled = Extract<ToolCallReport, { type: 'toolCall.settled' }>

const base = setup({
  types: {
    context: {} as RunContext,
    events: {} as RunEvent,
    input: {} as RunInput,
    output: {} as RunOutput,
  },
  actors: {
    modelCall: modelCallMachine,
    toolCall: toolCallMachine,
    runPhase: fromPromise<PhaseVerdict, RunPhaseInput>(() =>
      Promise.reject(new Error('Provide the actor "runPhase".')),
    ),
  },
  actions: {
    checkpoint: (_, _params: { name: CheckpointName }) => {},
    recordInput: () => {},
    recordResults: () => {},
    recordPatches: () => {},
    recordPlaceholders: () => {},
    recordEnding: () => {},
    recordFailure: () => {},
    announceStart: () => {},
    announceResume: () => {},
    announceEnd: () => {},
    announceTurnStart: () => {},
    announceTurnEnd: () => {},
    announceDropped: () => {},
    takeInput: assign(() => updates.takeInput()),
    takePhase: assign(({ context }, params: { verdict: PhaseVerdict }) => updates.takePhase(context, params.verdict)),
    takeTurnStart: assign(({ context }) => updates.takeTurnStart(context)),
    takeAnswer: assign(({ context }, params: { outcome: ModelCallOutcome }) =>
      updates.takeAnswer(context, params.outcome),
    ),
    startBatch: assign(({ context }) => rounds.startBatch(context)),
    nextBatch: assign(({ context }) => rounds.nextBatch(context)),
    closeBatches: assign(({ context }) => rounds.closeBatches(context)),
    takeSuspension: assign(({ context }, params: { report: Suspended }) =>
      rounds.takeSuspension(context, params.report),
    ),
    takeSettlement: assign(({ context }, params: { report: Settled }) => rounds.takeSettlement(context, params.report)),
    queueDecision: assign(({ context }, params: { decision: DecisionHead; at: number }) =>
      rounds.queueDecision(context, params.decision, params.at),
    ),
    markApplied: assign(({ context }) => rounds.markApplied(context)),
    publish: assign(({ context }) => rounds.publish(context)),
    markPlaceholders: assign(({ context }) => rounds.markPlaceholders(context)),
    endNaturally: assign(({ context }) => updates.endNaturally(context)),
    forgetEnding: assign(() => updates.forgetEnding()),
    stopAtLimit: assign(({ context }) => updates.stopAtLimit(context)),
    finishAtLimit: assign(({ context }) => updates.finishAtLimit(context)),
    failAtLimit: assign(({ context }) => updates.failAtLimit(context)),
    suspendRun: assign(({ context }) => updates.suspendRun(context)),
    resumeRun: assign(() => updates.resumeRun()),
    startClock: assign((_, params: { at: number }) => updates.startClock(params.at)),
    stopClock: assign(() => updates.stopClock()),
    conclude: assign(({ context }) => updates.conclude(context)),
    cancelRun: assign((_, params: { note: string | null }) => updates.cancelRun(params.note)),
    failRun: assign((_, params: { error: RunError }) => updates.failRun(params.error)),
    failOnConflict: assign(({ context }) => updates.failOnConflict(context)),
    dropCall: stopChild((_, params: { callId: string }) => params.callId),
  },
  guards: {
    isWatched: ({ context }, params: { phase: Phase }) => facts.isWatched(context, params.phase),
    isKept: ({ context }, params: { decision: DecisionHead }) =>
      params.decision.suspensionId === null && facts.isKnownCall(context, params.decision.callId),
    isKnownCall: ({ context }, params: { callId: string }) => facts.isKnownCall(context, params.callId),
    appliesAtOnce: ({ context }) => facts.appliesAtOnce(context),
    hasApplicable: ({ context }) => facts.hasApplicable(context),
    mustReplay: ({ context }) => facts.mustReplay(context),
    isReplayOver: ({ context }) => facts.isReplayOver(context),
    hasUnpublished: ({ context }) => facts.hasUnpublished(context),
    mustWait: ({ context }) => facts.mustWait(context),
    isUnheardAtEnd: ({ context }) => facts.isUnheardAtEnd(context),
    hasPlaceholders: ({ context }) => rounds.placeholders(context).length > 0,
    isEnding: ({ context }) => context.ending !== null,
    reachesLimit: ({ context }, params: { action: LimitAction }) => facts.reachesLimit(context, params.action),
    terminates: (_, params: { verdict: PhaseVerdict }) => params.verdict.terminate !== undefined,
    asksToHold: (_, params: { verdict: PhaseVerdict }) => (params.verdict.holds ?? []).length > 0,
    hasFailed: (_, params: { outcome: ModelCallOutcome }) => params.outcome.status === 'failed',
    skipsRound: ({ context }) => facts.skipsRound(context),
    hasCalls: ({ context }) => facts.hasCalls(context),
    hasConflict: ({ context }) => facts.hasConflict(context),
    isRoundOver: ({ context }) => facts.isRoundOver(context),
    isBatchOver: ({ context }) => facts.isBatchOver(context),
    mustSkipRest: ({ context }) => facts.mustSkipRest(context),
    hasNoOpenCalls: ({ context }) => !facts.hasOpenCalls(context),
    hasNoNewCalls: ({ context }) => facts.newEntries(context).length === 0,
    isSettledAndWatched: ({ context }) => !facts.mustSettle(context) && facts.isWatched(context, 'runEnd'),
    isSettled: ({ context }) => !facts.mustSettle(context),
    hasErred: ({ context }) => context.outcome?.reason === 'error',
    isWait: ({ context }) => facts.isWait(context),
  },
})

const definition = base.extend({
  actions: {
    enterRound: assign(({ context, spawn }) => {
      const entered = rounds.enterRound(context)
      for (const plan of rounds.plansOf(context)) {
        spawn('toolCall', { id: plan.callId, input: records.dueCallInput({ ...context, ...entered }, plan) })
      }
      return entered
    }),
    leaveRound: assign(({ context, spawn }) => {
      for (const plan of rounds.plansOf(context)) {
        spawn('toolCall', { id: plan.callId, input: records.toolCallInput(context, plan, false) })
      }
      return rounds.leaveRound(context)
    }),
    takeHolds: assign(({ context, spawn }, params: { verdict: PhaseVerdict }) => {
      for (const plan of params.verdict.holds ?? []) {
        spawn('toolCall', { id: plan.callId, input: records.holdInput(context, plan) })
      }
      return rounds.takeHolds(context, params.verdict)
    }),
    callBatch: enqueueActions(({ context, enqueue }) => {
      for (const callId of facts.currentBatch(context)) enqueue.sendTo(callId, { type: 'call.start' })
    }),
    skipRest: enqueueActions(({ context, enqueue }) => {
      for (const callId of rounds.restOfRound(context)) enqueue.sendTo(callId, records.skipEvent)
    }),
    cancelNewCalls: enqueueActions(({ context, enqueue }) => {
      for (const { callId } of facts.newEntries(context)) enqueue.sendTo(callId, records.cancelEvent)
    }),
    cancelOpenCalls: enqueueActions(({ context, enqueue }) => {
      for (const callId of facts.callIdsToCancel(context)) enqueue.sendTo(callId, records.cancelEvent)
    }),
    cancelCall: enqueueActions(({ enqueue }, params: { callId: string; text: string }) => {
      enqueue.sendTo(params.callId, { type: 'call.cancel', text: params.text, byRun: false })
    }),
    keepDecision: enqueueActions(({ enqueue }, params: { decision: DecisionHead }) => {
      enqueue.sendTo(params.decision.callId, { type: 'call.keep', decision: params.decision })
    }),
    tellAnswered: enqueueActions(({ context, enqueue }) => {
      for (const decision of facts.fitting(context)) {
        enqueue.sendTo(decision.callId, { type: 'call.answered' })
      }
    }),
    applyDecisions: enqueueActions(({ context, enqueue }) => {
      for (const decision of facts.applicable(context)) {
        enqueue.sendTo(decision.callId, { type: 'call.resume', decision })
      }
    }),
  },
})

const machine = definition.createMachine({
  id: 'run',
  description: 'One run of an agent: turns of the model, rounds of tool calls, waits for decisions, one ending.',
  context: ({ input }) => updates.initialContext(input),
  initial: 'running',
  states: {
    running: {
      description: 'The engine has something to do.',
      initial: 'starting',
      on: {
        'decision.received': [
          {
            guard: { type: 'isKept', params: ({ event }) => ({ decision: event.decision }) },
            actions: { type: 'keepDecision', params: ({ event }) => ({ decision: event.decision }) },
          },
          {
            guard: { type: 'isKnownCall', params: ({ event }) => ({ callId: event.decision.callId }) },
            actions: [
              { type: 'queueDecision', params: ({ event }) => ({ decision: event.decision, at: event.at }) },
              'tellAnswered',
            ],
          },
        ],
        'call.cancelRequested': {
          guard: { type: 'isKnownCall', params: ({ event }) => ({ callId: event.callId }) },
          actions: { type: 'cancelCall', params: ({ event }) => ({ callId: event.callId, text: event.text }) },
        },
        'run.woken': {
          actions: { type: 'startClock', params: ({ event }) => ({ at: event.at }) },
        },
        'run.cancelRequested': {
          target: '#run.running.ending',
          actions: { type: 'cancelRun', params: { note: null } },
        },
        'run.failed': {
          target: '#run.running.ending',
          actions: { type: 'failRun', params: ({ event }) => ({ error: event.error }) },
        },
        'toolCall.suspended': {
          actions: [{ type: 'takeSuspension', params: ({ event }) => ({ report: event }) }, 'tellAnswered'],
        },
        'toolCall.settled': {
          actions: [
            { type: 'takeSettlement', params: ({ event }) => ({ report: event }) },
            { type: 'dropCall', params: ({ event }) => ({ callId: event.callId }) },
          ],
        },
      },
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
            onDone: [
              {
                guard: { type: 'asksToHold', params: ({ event }) => ({ verdict: event.output }) },
                target: 'committingUser',
                actions: [
                  { type: 'takePhase', params: ({ event }) => ({ verdict: event.output }) },
                  { type: 'takeHolds', params: ({ event }) => ({ verdict: event.output }) },
                ],
              },
              {
                target: 'committingUser',
                actions: { type: 'takePhase', params: ({ event }) => ({ verdict: event.output }) },
              },
            ],
          },
        },
        committingUser: {
          entry: ['recordInput', 'takeInput', { type: 'checkpoint', params: { name: 'UserMessage' } }],
          always: 'resumeGate',
        },
        resumeGate: {
          description: 'Between rounds: decisions are taken in, replayed and committed before the model is asked.',
          initial: 'draining',
          states: {
            draining: {
              always: [
                { guard: 'mustReplay', target: 'replaying' },
                { guard: 'hasUnpublished', target: 'committingReplay' },
                { target: 'judging' },
              ],
            },
            replaying: {
              description: 'Calls a decision resumed or cancelled are on their way; their results are waited for.',
              on: {
                'run.cancelRequested': {
                  target: '#run.running.ending',
                  actions: { type: 'cancelRun', params: { note: '[Run cancelled while tools were running.]' } },
                },
              },
              always: [
                { guard: 'hasApplicable', actions: ['applyDecisions', 'markApplied'] },
                { guard: 'isReplayOver', target: 'committingReplay' },
              ],
            },
            committingReplay: {
              entry: ['recordResults', 'publish', { type: 'checkpoint', params: { name: 'ToolResultsCommitted' } }],
              always: 'draining',
            },
            judging: {
              description: 'Wait, end, or ask the model again.',
              always: [
                { guard: 'mustWait', target: '#run.running.ending', actions: 'suspendRun' },
                {
                  guard: 'isUnheardAtEnd',
                  target: '#run.running.nextTurn',
                  actions: ['forgetEnding', 'recordPlaceholders', 'markPlaceholders'],
                },
                { guard: 'isEnding', target: '#run.running.ending', actions: 'conclude' },
                {
                  guard: 'hasPlaceholders',
                  target: '#run.running.nextTurn',
                  actions: ['recordPlaceholders', 'markPlaceholders'],
                },
                { target: '#run.running.nextTurn' },
              ],
            },
          },
        },
        nextTurn: {
          description: 'Limits are checked before the model is asked.',
          always: [
            {
              guard: { type: 'reachesLimit', params: { action: 'error' } },
              target: 'ending',
              actions: 'failAtLimit',
            },
            {
              guard: { type: 'reachesLimit', params: { action: 'stop' } },
              target: 'resumeGate',
              actions: 'stopAtLimit',
            },
            {
              guard: { type: 'reachesLimit', params: { action: 'finish' } },
              target: 'callingModel',
              actions: 'finishAtLimit',
            },
            { guard: { type: 'isWatched', params: { phase: 'stepStart' } }, target: 'startingStep' },
            { guard: { type: 'isWatched', params: { phase: 'beforeInference' } }, target: 'preparingInference' },
            { target: 'callingModel' },
          ],
        },
        startingStep: {
          description: 'Phase stepStart.',
          invoke: {
            src: 'runPhase',
            id: 'stepStart',
            input: ({ context }) => ({ phase: 'stepStart', turn: context.turn + 1 }),
            onDone: [
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
          invoke: {
            src: 'runPhase',
            id: 'beforeInference',
            input: ({ context }) => ({ phase: 'beforeInference', turn: context.turn + 1 }),
            onDone: [
              {
                guard: { type: 'terminates', params: ({ event }) => ({ verdict: event.output }) },
                target: 'resumeGate',
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
          entry: ['takeTurnStart', 'announceTurnStart'],
          always: { guard: 'appliesAtOnce', actions: ['applyDecisions', 'markApplied'] },
          on: {
            'run.cancelRequested': {
              target: 'ending',
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
            input: ({ context }) => records.modelCallInput(context),
            onDone: [
              {
                guard: { type: 'hasFailed', params: ({ event }) => ({ outcome: event.output }) },
                target: 'ending',
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
          entry: ['announceDropped', { type: 'checkpoint', params: { name: 'AssistantTurnCommitted' } }],
          always: [
            { guard: 'skipsRound', target: 'leavingRound' },
            { guard: 'hasCalls', target: 'toolRound' },
            { target: 'resumeGate', actions: ['endNaturally', 'announceTurnEnd'] },
          ],
        },
        toolRound: {
          description: 'The calls of one turn run, in batches as wide as the executor.',
          entry: 'enterRound',
          initial: 'executing',
          always: { guard: 'appliesAtOnce', actions: ['applyDecisions', 'markApplied'] },
          on: {
            'run.cancelRequested': {
              target: 'ending',
              actions: { type: 'cancelRun', params: { note: '[Run cancelled while tools were running.]' } },
            },
          },
          states: {
            executing: {
              always: [
                { guard: 'hasConflict', target: '#run.running.ending', actions: 'failOnConflict' },
                { guard: 'isRoundOver', target: '#run.running.committingResults' },
                { guard: 'isBatchOver', target: 'choosingNext' },
              ],
            },
            choosingNext: {
              always: [
                { guard: 'mustSkipRest', target: 'executing', actions: ['skipRest', 'closeBatches'] },
                { guard: 'appliesAtOnce', target: 'executing', actions: ['applyDecisions', 'markApplied'] },
                { target: 'executing', actions: ['recordPatches', 'nextBatch', 'callBatch', 'startBatch'] },
              ],
            },
          },
        },
        leavingRound: {
          description: 'The run ends before its calls; each gets the result of a call that was never started.',
          entry: ['leaveRound', 'cancelNewCalls'],
          always: { guard: 'hasNoNewCalls', target: 'committingResults' },
        },
        committingResults: {
          entry: [
            'recordResults',
            'publish',
            { type: 'checkpoint', params: { name: 'ToolResultsCommitted' } },
            'announceTurnEnd',
          ],
          always: 'resumeGate',
        },
        ending: {
          description: 'Every ending and every wait passes here.',
          initial: 'settlingCalls',
          on: {
            'run.cancelRequested': [
              {
                guard: 'isWait',
                target: '.settlingCalls',
                actions: { type: 'cancelRun', params: { note: null } },
              },
              { description: 'The run has its ending already.' },
            ],
            'run.failed': [
              {
                guard: 'hasErred',
                target: '.committingFinished',
                actions: { type: 'failRun', params: ({ event }) => ({ error: event.error }) },
              },
              {
                target: '.settlingCalls',
                actions: { type: 'failRun', params: ({ event }) => ({ error: event.error }) },
              },
            ],
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
              description: 'Phase runEnd.',
              invoke: {
                src: 'runPhase',
                id: 'runEnd',
                input: ({ context }) => ({ phase: 'runEnd', turn: context.turn }),
                onDone: 'committingFinished',
              },
            },
            committingFinished: {
              entry: [
                'recordEnding',
                'publish',
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
        { guard: 'hasApplicable', target: '#run.running.restarting' },
        { guard: 'hasNoOpenCalls', target: '#run.running.restarting' },
      ],
      on: {
        'decision.received': [
          {
            guard: { type: 'isKept', params: ({ event }) => ({ decision: event.decision }) },
            actions: { type: 'keepDecision', params: ({ event }) => ({ decision: event.decision }) },
          },
          {
            guard: { type: 'isKnownCall', params: ({ event }) => ({ callId: event.decision.callId }) },
            actions: [
              { type: 'queueDecision', params: ({ event }) => ({ decision: event.decision, at: event.at }) },
              'tellAnswered',
            ],
          },
        ],
        'toolCall.suspended': {
          target: '#run.running.restarting',
          actions: { type: 'takeSuspension', params: ({ event }) => ({ report: event }) },
        },
        'toolCall.settled': {
          target: '#run.running.restarting',
          actions: [
            { type: 'takeSettlement', params: ({ event }) => ({ report: event }) },
            { type: 'dropCall', params: ({ event }) => ({ callId: event.callId }) },
          ],
        },
        'call.cancelRequested': {
          guard: { type: 'isKnownCall', params: ({ event }) => ({ callId: event.callId }) },
          actions: { type: 'cancelCall', params: ({ event }) => ({ callId: event.callId, text: event.text }) },
        },
        'run.cancelRequested': {
          target: '#run.running.ending',
          actions: { type: 'cancelRun', params: { note: null } },
        },
        'run.failed': {
          target: '#run.running.ending',
          actions: { type: 'failRun', params: ({ event }) => ({ error: event.error }) },
        },
      },
    },
    done: { type: 'final' },
  },
  output: ({ context }) => updates.outputOf(context),
})

type RunLogic = typeof machine

/** Layer 1: the run (requirements RUN-01 to RUN-04). */
export interface RunMachine extends RunLogic {}

export const runMachine: RunMachine = machine
