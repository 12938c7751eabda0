import { type AnyActorRef, assign, fromPromise, sendTo, setup } from 'xstate'
import type { SleepInput } from '../../src/core/domain/timer.ts'
import * as attempts from './model-call.attempts.ts'
import type {
  Attempted,
  CallModelInput,
  Compacted,
  CompactPromptInput,
  ModelCallContext,
  ModelCallInput,
  ModelCallOutcome,
  Refreshed,
  RefreshCredentialsInput,
  SummariseInput,
  Summarised,
} from './model-call.types.ts'

/** The names in the model call's chart with their implementations. */
export const modelCallSetup = setup({
  types: {
    context: {} as ModelCallContext,
    input: {} as ModelCallInput,
    output: {} as ModelCallOutcome,
  },
  actors: {
    callModel: fromPromise<Attempted, CallModelInput>(() =>
      Promise.reject(new Error('Provide the actor "callModel".')),
    ),
    refreshCredentials: fromPromise<Refreshed, RefreshCredentialsInput>(() =>
      Promise.reject(new Error('Provide the actor "refreshCredentials".')),
    ),
    compactPrompt: fromPromise<Compacted, CompactPromptInput>(() =>
      Promise.reject(new Error('Provide the actor "compactPrompt".')),
    ),
    summarise: fromPromise<Summarised, SummariseInput>(() =>
      Promise.reject(new Error('Provide the actor "summarise".')),
    ),
    sleep: fromPromise<void, SleepInput>(() => Promise.reject(new Error('Provide the actor "sleep".'))),
  },
  actions: {
    planRetry: assign(attempts.planRetry),
    takePart: assign(attempts.takePart),
    countRefresh: assign(attempts.countRefresh),
    countRecovery: assign(attempts.countRecovery),
    noteRefusal: assign(attempts.noteRefusal),
    countSummary: assign(attempts.countSummary),
    nextModel: assign(attempts.nextModel),
    reportPaid: sendTo(owner, attempts.paidReport),
  },
  guards: {
    hasAnswered: attempts.hasAnswered,
    wasRefused: attempts.wasRefused,
    mayContinue: attempts.mayContinue,
    mayRetry: attempts.mayRetry,
    maySwitch: attempts.maySwitch,
    mayRefresh: attempts.mayRefresh,
    mayCompact: attempts.mayCompact,
    mayLeaveOut: attempts.mayLeaveOut,
    hasOutgrown: attempts.hasOutgrown,
    isSummaryDue: attempts.isSummaryDue,
    hasRefreshed: attempts.hasRefreshed,
  },
})

/** The run that asks. */
function owner({ self }: { readonly self: AnyActorRef }): AnyActorRef {
  return self._parent ?? self
}
