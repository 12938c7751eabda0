import {
  answered,
  attemptInput,
  compactInput,
  failed,
  initialContext,
  outcomeOf,
  refreshInput,
  refused,
  summariseInput,
} from './model-call.attempts.ts'
import { modelCallSetup } from './model-call.setup.ts'

const machine = modelCallSetup.createMachine({
  id: 'modelCall',
  description: 'One answer of a model: attempts, backoff, new credentials, smaller prompts, fallbacks, continuations.',
  context: initialContext,
  initial: 'calling',
  states: {
    calling: {
      description: 'One attempt at the current model.',
      invoke: {
        src: 'callModel',
        id: 'callModel',
        input: attemptInput,
        onDone: [
          { guard: { type: 'hasAnswered', params: ({ event }) => ({ attempted: event.output }) }, target: 'answered' },
          {
            guard: { type: 'mayContinue', params: ({ event }) => ({ attempted: event.output }) },
            target: 'continuing',
            actions: { type: 'takePart', params: ({ event }) => ({ attempted: event.output }) },
          },
          {
            guard: { type: 'mayRetry', params: ({ event }) => ({ attempted: event.output }) },
            target: 'backingOff',
            actions: { type: 'planRetry', params: ({ event }) => ({ attempted: event.output }) },
          },
          {
            guard: { type: 'maySwitch', params: ({ event }) => ({ attempted: event.output }) },
            target: 'switchingModel',
          },
          {
            guard: { type: 'mayRefresh', params: ({ event }) => ({ attempted: event.output }) },
            target: 'refreshingCredentials',
            actions: 'countRefresh',
          },
          {
            guard: { type: 'mayCompact', params: ({ event }) => ({ attempted: event.output }) },
            target: 'compacting',
            actions: 'countRecovery',
          },
          {
            guard: { type: 'mayLeaveOut', params: ({ event }) => ({ attempted: event.output }) },
            target: 'leavingOut',
            actions: { type: 'noteRefusal', params: ({ event }) => ({ attempted: event.output }) },
          },
          {
            guard: { type: 'hasOutgrown', params: ({ event }) => ({ attempted: event.output }) },
            target: 'summarising',
            actions: 'countSummary',
          },
          { guard: { type: 'wasRefused', params: ({ event }) => ({ attempted: event.output }) }, target: 'declined' },
          { target: 'failed' },
        ],
      },
    },
    continuing: {
      description: 'The answer was cut off at the token limit; the model is asked to continue.',
      always: 'calling',
    },
    backingOff: {
      description: 'A rate limit or a network failure; the next attempt waits.',
      invoke: {
        src: 'sleep',
        id: 'backoff',
        input: ({ context }) => ({ due: context.retryAt }),
        onDone: 'calling',
      },
    },
    refreshingCredentials: {
      description: 'The model refused its credentials; it is asked once more with new ones.',
      invoke: {
        src: 'refreshCredentials',
        id: 'refreshCredentials',
        input: refreshInput,
        onDone: [
          { guard: { type: 'hasRefreshed', params: ({ event }) => ({ refreshed: event.output }) }, target: 'calling' },
          { target: 'failed' },
        ],
      },
    },
    compacting: {
      description: 'The model refused the prompt as too long; it is asked once more with a smaller one.',
      invoke: {
        src: 'compactPrompt',
        id: 'compactPrompt',
        input: compactInput,
        onDone: [
          {
            guard: { type: 'isSummaryDue', params: ({ event }) => ({ compacted: event.output }) },
            target: 'summarising',
            actions: 'countSummary',
          },
          { target: 'calling' },
        ],
      },
    },
    leavingOut: {
      description: 'The model refused a request with new pictures or files; it is asked once more without them.',
      always: 'calling',
    },
    summarising: {
      description: 'A model summarizes the old part of the prompt; if it fails, the prompt is cut.',
      invoke: {
        src: 'summarise',
        id: 'summarise',
        input: summariseInput,
        onDone: {
          target: 'calling',
          actions: { type: 'reportPaid', params: ({ event }) => ({ paid: event.output }) },
        },
      },
    },
    switchingModel: {
      description: 'No retry is left; the next fallback model is asked.',
      always: { target: 'calling', actions: 'nextModel' },
    },
    answered: { type: 'final', description: 'The whole answer is in the log.', output: answered },
    declined: {
      type: 'final',
      description: 'A plugin refused the answer; nothing of it is kept.',
      output: refused,
    },
    failed: { type: 'final', description: 'No attempt gave an answer.', output: failed },
  },
  output: outcomeOf,
})

type ModelCallLogic = typeof machine

/** One answer of a model, including every failure on the way to it. */
export interface ModelCallMachine extends ModelCallLogic {}

/** The chart of a model call. The driver binds its actors. */
export const modelCallMachine: ModelCallMachine = machine
