import { toolCallSetup } from '../tool-call.setup.ts'

/** State `running` of a call. */
export const running = toolCallSetup.createStateConfig({
  description: 'The only state in which the tool executes.',
  on: {
    'call.keep': {
      actions: { type: 'keepDecision', params: ({ event }) => ({ decision: event.decision }) },
    },
    'call.cancel': {
      target: 'cancelled',
      actions: [
        { type: 'takeCancel', params: ({ event }) => ({ text: event.text, byRun: event.byRun }) },
        'endExecution',
      ],
    },
  },
  initial: 'executing',
  states: {
    executing: {
      invoke: {
        src: 'runTool',
        id: 'runTool',
        input: ({ context }) => ({
          callId: context.callId,
          effects: context.effects,
          attempt: context.attempts + 1,
          revision: context.revision,
          failures: context.failures,
          decisionId: context.decision?.decisionId ?? null,
        }),
        onDone: [
          {
            guard: {
              type: 'hasPerformed',
              params: ({ event }) => ({ performed: event.output, status: 'succeeded' }),
            },
            target: '#toolCall.succeeded',
            actions: { type: 'takePerformed', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'mayRetry', params: ({ event }) => ({ performed: event.output }) },
            target: 'backingOff',
            actions: { type: 'takePerformed', params: ({ event }) => event.output },
          },
          {
            guard: { type: 'hasPerformed', params: ({ event }) => ({ performed: event.output, status: 'failed' }) },
            target: '#toolCall.failed',
            actions: { type: 'takePerformed', params: ({ event }) => event.output },
          },
          {
            target: '#toolCall.suspended',
            actions: [
              { type: 'takePerformed', params: ({ event }) => event.output },
              {
                type: 'suspendByTool',
                params: ({ event }) => ({ suspension: event.output.suspension ?? { id: '', reason: 'input' } }),
              },
            ],
          },
        ],
      },
    },
    backingOff: {
      description: 'The tool failed and may be tried again; the next attempt waits.',
      invoke: {
        src: 'sleep',
        id: 'backoff',
        input: ({ context }) => ({ due: context.retryAt }),
        onDone: 'executing',
      },
    },
    supplied: {
      description: 'A plugin supplied the result; nothing executes.',
      always: [
        { guard: { type: 'isSuppliedAs', params: { status: 'succeeded' } }, target: '#toolCall.succeeded' },
        { target: '#toolCall.failed' },
      ],
    },
  },
})
