import { assign, fromPromise, sendParent, setup } from 'xstate'
import type { Verdict } from '../../src/domain/call-plan.ts'
import type { SleepInput } from '../../src/domain/timer.ts'
import * as decisions from './tool-call.decisions.ts'
import * as end from './tool-call.end.ts'
import * as gate from './tool-call.gate.ts'
import type {
  EndStatus,
  GateCallInput,
  GateReplayInput,
  Performed,
  ReplayVerdict,
  ReviewCallInput,
  RunToolInput,
  ToolCallContext,
  ToolCallEvent,
  ToolCallInput,
} from './tool-call.types.ts'
import * as writes from './tool-call.writes.ts'

/** The names of the call's chart and what stands behind each. */
export const toolCallSetup = setup({
  types: {
    context: {} as ToolCallContext,
    events: {} as ToolCallEvent,
    input: {} as ToolCallInput,
  },
  actors: {
    gateCall: fromPromise<Verdict, GateCallInput>(() => Promise.reject(new Error('Provide the actor "gateCall".'))),
    runTool: fromPromise<Performed, RunToolInput>(() => Promise.reject(new Error('Provide the actor "runTool".'))),
    gateReplay: fromPromise<ReplayVerdict, GateReplayInput>(() =>
      Promise.reject(new Error('Provide the actor "gateReplay".')),
    ),
    reviewCall: fromPromise<void, ReviewCallInput>(() => Promise.reject(new Error('Provide the actor "reviewCall".'))),
    sleep: fromPromise<void, SleepInput>(() => Promise.reject(new Error('Provide the actor "sleep".'))),
  },
  actions: {
    becomeDue: assign(gate.becomeDue),
    passGate: assign(gate.passGate),
    takeVerdict: assign(gate.takeVerdict),
    takeReplayVerdict: assign(gate.takeReplayVerdict),
    takeRefusal: assign(gate.takeRefusal),
    suspendByVerdict: assign(gate.suspendByVerdict),
    suspendByTool: assign(gate.suspendByTool),
    closeUnfinished: assign(gate.closeUnfinished),
    keepDecision: assign(decisions.keepDecision),
    takeKept: assign(decisions.takeKept),
    takeDecision: assign(decisions.takeDecision),
    takeDenial: assign(decisions.takeDenial),
    takeExpiry: assign(decisions.takeExpiry),
    takePerformed: assign(end.takePerformed),
    takeCancel: assign(end.takeCancel),
    takeSkip: assign(end.takeSkip),
    recordSuspension: () => {},
    recordKept: () => {},
    recordClosing: () => {},
    recordStatus: (_, _params: { status: EndStatus }) => {},
    reportSuspended: sendParent(writes.suspendedReport),
    reportAnswered: sendParent(writes.answeredReport),
    reportSettled: sendParent(writes.settledReport),
  },
  guards: {
    isNotDue: gate.isNotDue,
    isGatePending: gate.isGatePending,
    isAllowed: gate.isAllowed,
    isRefused: gate.isRefused,
    isAnswered: gate.isAnswered,
    hasAnswer: gate.hasAnswer,
    lacksSuspension: gate.lacksSuspension,
    answersSuspension: decisions.answersSuspension,
    keepsInTime: decisions.keepsInTime,
    isAnsweredByKept: decisions.isAnsweredByKept,
    hasPerformed: end.hasPerformed,
    isByRun: end.isByRun,
    isReviewed: end.isReviewed,
  },
})
