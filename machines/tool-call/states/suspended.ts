import { reviewInput } from '../tool-call.result.ts'
import { toolCallSetup } from '../tool-call.setup.ts'

/** State `suspended` of a call. */
export const suspended = toolCallSetup.createStateConfig({
  description: 'Waits for a decision, a service or an expiry.',
  on: {
    'call.cancel': {
      target: 'cancelled',
      actions: { type: 'takeCancel', params: ({ event }) => ({ text: event.text, byRun: event.byRun }) },
    },
  },
  initial: 'arriving',
  states: {
    arriving: {
      description: 'The review comes first, then a kept decision.',
      always: [
        { guard: 'isReviewed', target: 'reviewing' },
        {
          guard: { type: 'isDecidedByKept', params: { action: 'resume' } },
          target: '#toolCall.resuming',
          actions: ['reportDecided', 'takeKeptDecision', 'recordKeptDecision'],
        },
        {
          guard: { type: 'isDecidedByKept', params: { action: 'cancel' } },
          target: '#toolCall.cancelled',
          actions: ['reportDecided', 'takeKeptDecision', 'recordKeptDecision', 'takeDenial'],
        },
        { target: 'resting' },
      ],
    },
    reviewing: {
      description: 'Plugins hear of the suspension.',
      on: {
        'call.keep': {
          actions: { type: 'keepDecision', params: ({ event }) => ({ decision: event.decision }) },
        },
      },
      invoke: {
        src: 'reviewCall',
        id: 'reviewCall',
        input: reviewInput,
        onDone: [
          {
            guard: { type: 'isDecidedByKept', params: { action: 'resume' } },
            target: '#toolCall.resuming',
            actions: ['reportDecided', 'takeKeptDecision', 'recordKeptDecision'],
          },
          {
            guard: { type: 'isDecidedByKept', params: { action: 'cancel' } },
            target: '#toolCall.cancelled',
            actions: ['reportDecided', 'takeKeptDecision', 'recordKeptDecision', 'takeDenial'],
          },
          { target: 'resting' },
        ],
      },
    },
    resting: {
      entry: 'reportSuspended',
      invoke: {
        src: 'sleep',
        id: 'expiry',
        input: ({ context }) => ({ due: context.suspension?.expiresAt ?? null }),
        onDone: { target: '#toolCall.cancelled', actions: 'takeExpiry' },
      },
      on: {
        'call.decided': 'decided',
        'call.keep': [
          {
            guard: { type: 'keepsInTime', params: ({ event }) => ({ decision: event.decision, action: 'resume' }) },
            target: '#toolCall.resuming',
            actions: [
              { type: 'keepDecision', params: ({ event }) => ({ decision: event.decision }) },
              'reportDecided',
              'takeKeptDecision',
              'recordKeptDecision',
            ],
          },
          {
            guard: { type: 'keepsInTime', params: ({ event }) => ({ decision: event.decision, action: 'cancel' }) },
            target: '#toolCall.cancelled',
            actions: [
              { type: 'keepDecision', params: ({ event }) => ({ decision: event.decision }) },
              'reportDecided',
              'takeKeptDecision',
              'recordKeptDecision',
              'takeDenial',
            ],
          },
        ],
      },
    },
    decided: {
      description: 'A decision made in time waits until the run hands it on; the request expires no more.',
      on: {
        'call.resume': [
          {
            guard: {
              type: 'answersSuspension',
              params: ({ event }) => ({ decision: event.decision, action: 'resume' }),
            },
            target: '#toolCall.resuming',
            actions: { type: 'takeDecision', params: ({ event }) => ({ decision: event.decision }) },
          },
          {
            guard: {
              type: 'answersSuspension',
              params: ({ event }) => ({ decision: event.decision, action: 'cancel' }),
            },
            target: '#toolCall.cancelled',
            actions: [{ type: 'takeDecision', params: ({ event }) => ({ decision: event.decision }) }, 'takeDenial'],
          },
        ],
      },
    },
  },
})
