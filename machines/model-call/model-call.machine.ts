import type { SleepInput } from '../../src/domain/timer.ts'
import { assign, fromPromise, setup } from 'xstate'
import type {
  Attempted,
  CallModelInput,
  ModelCallContext,
  ModelCallInput,
  ModelCallOutcome,
} from './model-call.types.ts'
import * as updates from './model-call.updates.ts'

const definition = setup({
  types: {
    context: {} as ModelCallContext,
    input: {} as ModelCallInput,
    output: {} as ModelCallOutcome,
  },
  actors: {
    callModel: fromPromise<Attempted, CallModelInput>(() =>
      Promise.reject(new Error('Provide the actor "callModel".')),
    ),
    sleep: fromPromise<void, SleepInput>(() => Promise.reject(new Error('Provide the actor "sleep".'))),
  },
  actions: {
    planRetry: assign(({ context }, params: { attempted: Attempted }) => updates.planRetry(context, params.attempted)),
    takePart: assign((_, params: { attempted: Attempted }) => updates.takePart(params.attempted)),
    nextModel: assign(({ context }) => updates.nextModel(context)),
  },
  guards: {
    hasAnswered: (_, params: { attempted: Attempted }) => params.attempted.kind === 'answered',
    mayContinue: (_, params: { attempted: Attempted }) => updates.mayContinue(params.attempted),
    mayRetry: ({ context }, params: { attempted: Attempted }) => updates.mayRetry(context, params.attempted),
    maySwitch: ({ context }, params: { attempted: Attempted }) => updates.maySwitch(context, params.attempted),
  },
})

const machine = definition.createMachine({
  id: 'modelCall',
  description: 'One answer of a model: attempts, backoff, fallback models, continuation of a truncated answer.',
  context: ({ input }) => updates.initialContext(input),
  initial: 'calling',
  states: {
    calling: {
      invoke: {
        src: 'callModel',
        id: 'callModel',
        input: ({ context }) => ({
          turn: context.turn,
          isFinishing: context.isFinishing,
          modelIndex: context.modelIndex,
          failures: context.failures,
          continuations: context.continuations,
        }),
        onDone: [
          {
            guard: { type: 'hasAnswered', params: ({ event }) => ({ attempted: event.output }) },
            target: 'answered',
          },
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
          { target: 'failed' },
        ],
      },
    },
    continuing: {
      description: 'The answer was cut off at the token limit; the model is asked to go on where it stopped.',
      always: 'calling',
    },
    backingOff: {
      description: 'A rate limit or the network failed; the next attempt waits.',
      invoke: {
        src: 'sleep',
        id: 'backoff',
        input: ({ context }) => ({ due: context.retryAt }),
        onDone: 'calling',
      },
    },
    switchingModel: {
      description: 'Retries are spent; the next fallback model is asked.',
      always: { target: 'calling', actions: 'nextModel' },
    },
    answered: { type: 'final', output: ({ event }) => updates.answered(event.output) },
    failed: { type: 'final', output: ({ event }) => updates.failed(event.output) },
  },
  output: ({ event }) => event.output as ModelCallOutcome,
})

type ModelCallLogic = typeof machine

/** One answer of a model, with everything that may go wrong on the way. */
export interface ModelCallMachine extends ModelCallLogic {}

export const modelCallMachine: ModelCallMachine = machine
