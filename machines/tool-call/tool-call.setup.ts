import { type AnyActorRef, assign, fromPromise, sendTo, setup } from 'xstate'
import type { Verdict } from '../../src/core/domain/call-plan.ts'
import type { SleepInput } from '../../src/core/domain/timer.ts'
import * as decisions from './tool-call.decisions.ts'
import * as gate from './tool-call.gate.ts'
import * as result from './tool-call.result.ts'
import type {
  CallAsk,
  EndStatus,
  GateReplayInput,
  Performed,
  ReplayVerdict,
  RunToolInput,
  ToolCallChildren,
  ToolCallContext,
  ToolCallEvent,
  ToolCallInput,
} from './tool-call.types.ts'

/** The names in the call's chart with their implementations. */
export const toolCallSetup = setup({
  types: {
    context: {} as ToolCallContext,
    events: {} as ToolCallEvent,
    input: {} as ToolCallInput,
    children: {} as ToolCallChildren,
  },
  actors: {
    ask: fromPromise<Verdict | undefined, CallAsk>(() => Promise.reject(new Error('Provide the actor "ask".'))),
    runTool: fromPromise<Performed, RunToolInput>(() => Promise.reject(new Error('Provide the actor "runTool".'))),
    gateReplay: fromPromise<ReplayVerdict, GateReplayInput>(() =>
      Promise.reject(new Error('Provide the actor "gateReplay".')),
    ),
    sleep: fromPromise<void, SleepInput>(() => Promise.reject(new Error('Provide the actor "sleep".'))),
  },
  actions: {
    leaveQueue: assign(gate.leaveQueue),
    passCallGate: assign(gate.passCallGate),
    takeVerdict: assign(gate.takeVerdict),
    takeReplayVerdict: assign(gate.takeReplayVerdict),
    takeRefusal: assign(gate.takeRefusal),
    suspendByVerdict: assign(gate.suspendByVerdict),
    suspendByTool: assign(gate.suspendByTool),
    takeUnfinished: assign(gate.takeUnfinished),
    keepDecision: assign(decisions.keepDecision),
    takeKeptDecision: assign(decisions.takeKeptDecision),
    takeDecision: assign(decisions.takeDecision),
    takeDenial: assign(decisions.takeDenial),
    takeExpiry: assign(decisions.takeExpiry),
    takePerformed: assign(result.takePerformed),
    takeCancel: assign(result.takeCancel),
    endExecution: assign(result.endExecution),
    takeSkip: assign(result.takeSkip),
    recordSuspension: unprovided('recordSuspension'),
    recordKeptDecision: unprovided('recordKeptDecision'),
    recordResult: unprovided('recordResult'),
    recordStatus: (_, _params: { status: EndStatus }) => unprovided('recordStatus')(),
    reportSuspended: sendTo(owner, result.suspendedReport),
    reportDecided: sendTo(owner, result.decidedReport),
    reportSettled: sendTo(owner, result.settledReport),
  },
  guards: {
    isSkipped: gate.isSkipped,
    isQueued: gate.isQueued,
    isCallGatePending: gate.isCallGatePending,
    isAllowed: gate.isAllowed,
    isRefused: gate.isRefused,
    isSuppliedAs: gate.isSuppliedAs,
    isSupplied: gate.isSupplied,
    lacksSuspension: gate.lacksSuspension,
    answersSuspension: decisions.answersSuspension,
    keepsInTime: decisions.keepsInTime,
    isDecidedByKept: decisions.isDecidedByKept,
    hasPerformed: result.hasPerformed,
    mayRetry: result.mayRetry,
    isByRun: result.isByRun,
    isReviewed: result.isReviewed,
  },
})

/** An action without an implementation throws, as an actor does, so that no write is lost in silence. */
function unprovided(name: string) {
  return () => {
    throw new Error(`Provide the action "${name}".`)
  }
}

/** The run, which spawned the call. A call without a run receives its own reports, and no state of it handles them. */
function owner({ self }: { readonly self: AnyActorRef }): AnyActorRef {
  return self._parent ?? self
}
