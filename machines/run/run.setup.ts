import { assign, enqueueActions, fromPromise, setup, stopChild } from 'xstate'
import type { Message } from '../../src/core/domain/message.ts'
import type { CheckpointName, RunError } from '../../src/core/domain/outcome.ts'
import { modelCallMachine } from '../model-call/model-call.machine.ts'
import { toolCallMachine } from '../tool-call/tool-call.machine.ts'
import * as calls from './run.calls.ts'
import * as closing from './run.closing.ts'
import * as gate from './run.gate.ts'
import * as limits from './run.limits.ts'
import * as permissions from './run.permissions.ts'
import type { AskManagerInput, ManagerVerdict } from './run.permissions.ts'
import * as queue from './run.queue.ts'
import * as round from './run.round.ts'
import * as turn from './run.turn.ts'
import type { FilterInput, FilterVerdict } from './run.input-types.ts'
import type { AskVerdict, RunAsk } from './run.asks.ts'
import type {
  HoldRunInput,
  KeepTimeInput,
  PhaseVerdict,
  RunContext,
  RunEvent,
  RunInput,
  RunOutput,
  TimeOver,
} from './run.types.ts'

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
    ask: fromPromise<AskVerdict, RunAsk>(() => Promise.reject(new Error('Provide the actor "ask".'))),
    holdRun: fromPromise<PhaseVerdict, HoldRunInput>(() => Promise.reject(new Error('Provide the actor "holdRun".'))),
    askManager: fromPromise<ManagerVerdict, AskManagerInput>(() =>
      Promise.reject(new Error('Provide the actor "askManager".')),
    ),
    keepTime: fromPromise<TimeOver, KeepTimeInput>(() => Promise.reject(new Error('Provide the actor "keepTime".'))),
  },
  actions: {
    checkpoint: (_, _params: { name: CheckpointName }) => {},
    recordInput: unprovided('recordInput'),
    recordResults: unprovided('recordResults'),
    recordPatches: unprovided('recordPatches'),
    recordPlaceholders: unprovided('recordPlaceholders'),
    recordEnd: unprovided('recordEnd'),
    recordFailure: unprovided('recordFailure'),
    recordRejection: (_, _params: { verdict: FilterVerdict }) => unprovided('recordRejection')(),
    recordQueued: unprovided('recordQueued'),
    recordRefused: (_, _params: { verdict: FilterVerdict }) => unprovided('recordRefused')(),
    recordPosted: (_, _params: { message: Message }) => unprovided('recordPosted')(),
    recordCorrection: unprovided('recordCorrection'),
    recordUndelivered: unprovided('recordUndelivered'),
    announceRejected: (_, _params: { verdict: FilterVerdict; kind: FilterInput['kind'] }) => {},
    announceRejectedQueued: (_, _params: { verdict: FilterVerdict }) => {},
    announceStart: () => {},
    announceResume: () => {},
    announceEnd: () => {},
    announceLateFailure: (_, _params: { error: RunError }) => {},
    announceTurnStart: () => {},
    announceTurnEnd: () => {},
    announceDropped: () => {},
    takeInput: assign(queue.takeInput),
    takeWarnings: assign(queue.takeWarnings),
    takeRejection: assign(queue.takeRejection),
    takeRecalled: assign(queue.takeRecalled),
    takeContext: assign(queue.takeContext),
    queueMessages: assign(queue.queueMessages),
    startFiltering: assign(queue.startFiltering),
    takeFilteredQueued: assign(queue.takeFilteredQueued),
    takeQueued: assign(queue.takeQueued),
    reopen: assign(queue.reopen),
    takePhase: assign(turn.takePhase),
    takeRunStart: assign(turn.takeRunStart),
    takeHolds: assign(turn.takeHolds),
    takeTurnStart: assign(turn.takeTurnStart),
    takeAnswer: assign(turn.takeAnswer),
    takePaid: assign(turn.takePaid),
    planRetryAfterHold: assign(turn.planRetryAfterHold),
    failOnContract: assign(turn.failOnContract),
    takeCorrection: assign(turn.takeCorrection),
    planNaturalEnd: assign(turn.planNaturalEnd),
    enterRound: assign(round.enterRound),
    leaveRound: assign(round.leaveRound),
    startBatch: assign(round.startBatch),
    nextBatch: assign(round.nextBatch),
    skipToLastBatch: assign(round.skipToLastBatch),
    takeSuspension: assign(calls.takeSuspension),
    takeSettlement: assign(calls.takeSettlement),
    dropCall: stopChild(calls.settledChild),
    queueDecision: assign(gate.queueDecision),
    markApplied: assign(gate.markApplied),
    forgetSettled: assign(gate.forgetSettled),
    forgetAsked: assign(permissions.forgetAsked),
    failOnManager: assign(permissions.failOnManager),
    forgetPlannedOutcome: assign(gate.forgetPlannedOutcome),
    markPlaceholders: assign(gate.markPlaceholders),
    stopAtLimit: assign(limits.stopAtLimit),
    finishAtLimit: assign(limits.finishAtLimit),
    failAtLimit: assign(limits.failAtLimit),
    endAtLimit: assign(limits.endAtLimit),
    planAtLimit: assign(limits.planAtLimit),
    allowHook: assign(limits.allowHook),
    takeTimeOver: assign(limits.takeTimeOver),
    dropTimer: stopChild('runningTime'),
    stopFinalAnswer: assign(limits.stopFinalAnswer),
    startClock: assign(limits.startClock),
    stopClock: assign(limits.stopClock),
    suspendRun: assign(closing.suspendRun),
    resumeRun: assign(closing.resumeRun),
    conclude: assign(closing.conclude),
    cancelRun: assign(closing.cancelRun),
    failRun: assign(closing.failRun),
    failOnConflict: assign(closing.failOnConflict),
  },
  guards: {
    isWatched: turn.isWatched,
    terminates: turn.terminates,
    isRejected: queue.isRejected,
    hasQueued: queue.hasQueued,
    isEndPutOff: queue.isEndPutOff,
    isReopened: queue.isReopened,
    mustFilterQueued: queue.mustFilterQueued,
    holdsOnFailure: turn.holdsOnFailure,
    isMisfit: turn.isMisfit,
    isContractBroken: turn.isContractBroken,
    hasOutcome: turn.hasOutcome,
    hasFailed: turn.hasFailed,
    hasCalls: turn.hasCalls,
    skipsRound: turn.skipsRound,
    isBatchOver: round.isBatchOver,
    isRoundOver: round.isRoundOver,
    mustSkipRest: round.mustSkipRest,
    hasNoNewCalls: round.hasNoNewCalls,
    hasConflict: round.hasConflict,
    isKnownCall: calls.isKnownCall,
    hasNoOpenCalls: calls.hasNoOpenCalls,
    hasSettledCalls: calls.hasSettledCalls,
    isKeptDecision: gate.isKeptDecision,
    hasApplicable: gate.hasApplicable,
    appliesAtOnce: gate.appliesAtOnce,
    goesStraightOn: gate.goesStraightOn,
    mustAskManager: permissions.mustAskManager,
    hasManagerFailed: permissions.hasManagerFailed,
    mustReplay: gate.mustReplay,
    isReplayOver: gate.isReplayOver,
    isOnlyHeld: gate.isOnlyHeld,
    mustWait: gate.mustWait,
    isUnheardAtEnd: gate.isUnheardAtEnd,
    hasPlannedOutcome: gate.hasPlannedOutcome,
    hasPlaceholders: gate.hasPlaceholders,
    reachesLimit: limits.reachesLimit,
    isTimeOver: limits.isTimeOver,
    isTimeOverBesideCalls: gate.isTimeOverBesideCalls,
    isFinalTimeOver: limits.isFinalTimeOver,
    isAnswerTimeOver: limits.isAnswerTimeOver,
    isHookTimeOver: limits.isHookTimeOver,
    isSettled: closing.isSettled,
    isErrorHeard: closing.isErrorHeard,
    isWait: closing.isWait,
    isEndMade: queue.isEndMade,
    hasErred: closing.hasErred,
  },
})

/** What is written is never left out in silence: an action nobody provided throws, as an actor does. */
function unprovided(name: string) {
  return () => {
    throw new Error(`Provide the action "${name}".`)
  }
}

/** The names of the run's chart and what stands behind each; the interpreter's types want senders apart. */
export const runSetup = base.extend({
  actions: {
    callBatch: enqueueActions(round.callBatch),
    skipRest: enqueueActions(round.skipRest),
    cancelNewCalls: enqueueActions(round.cancelNewCalls),
    cancelCall: enqueueActions(calls.cancelCall),
    keepDecision: enqueueActions(gate.keepDecision),
    tellDecided: enqueueActions(gate.tellDecided),
    applyDecisions: enqueueActions(gate.applyDecisions),
    cancelOpenCalls: enqueueActions(closing.cancelOpenCalls),
    cancelEveryCall: enqueueActions(closing.cancelEveryCall),
    restartTimer: enqueueActions(limits.restartTimer),
    timeHook: enqueueActions(limits.timeHook),
  },
})
