import { assign, fromPromise, setup } from 'xstate'
import type { SleepInput } from '../../src/domain/timer.ts'
import * as attempts from './model-call.attempts.ts'
import type {
  Attempted,
  CallModelInput,
  CompactPromptInput,
  ModelCallContext,
  ModelCallInput,
  ModelCallOutcome,
  Refreshed,
  RefreshCredentialsInput,
} from './model-call.types.ts'

/** The names of the model call's chart and what stands behind each. */
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
    compactPrompt: fromPromise<undefined, CompactPromptInput>(() =>
      Promise.reject(new Error('Provide the actor "compactPrompt".')),
    ),
    sleep: fromPromise<void, SleepInput>(() => Promise.reject(new Error('Provide the actor "sleep".'))),
  },
  actions: {
    planRetry: assign(attempts.planRetry),
    takePart: assign(attempts.takePart),
    countRefresh: assign(attempts.countRefresh),
    countRecovery: assign(attempts.countRecovery),
    nextModel: assign(attempts.nextModel),
  },
  guards: {
    hasAnswered: attempts.hasAnswered,
    mayContinue: attempts.mayContinue,
    mayRetry: attempts.mayRetry,
    maySwitch: attempts.maySwitch,
    mayRefresh: attempts.mayRefresh,
    mayCompact: attempts.mayCompact,
    hasRefreshed: attempts.hasRefreshed,
  },
})
