import { toolCallSetup } from '../tool-call.setup.ts'

/** State `resuming` of a call. */
export const resuming = toolCallSetup.createStateConfig({
  description: 'The call gate of a replay; nothing executes here.',
  on: {
    'call.cancel': {
      target: 'cancelled',
      actions: { type: 'takeCancel', params: ({ event }) => ({ text: event.text, byRun: event.byRun }) },
    },
  },
  initial: 'gating',
  states: {
    gating: {
      invoke: {
        src: 'gateReplay',
        id: 'gateReplay',
        input: ({ context }) => ({
          callId: context.callId,
          decision: context.decision,
          resumeMode: context.resumeMode,
          revision: context.revision,
        }),
        onDone: {
          target: 'judging',
          actions: { type: 'takeReplayVerdict', params: ({ event }) => event.output },
        },
      },
    },
    judging: {
      description: 'A call a foreign or damaged document holds here without its suspension is closed, never run.',
      always: [
        {
          guard: { type: 'lacksSuspension', params: { action: 'cancel' } },
          target: '#toolCall.cancelled',
          actions: 'takeUnfinished',
        },
        {
          guard: { type: 'lacksSuspension', params: { action: 'resume' } },
          target: '#toolCall.failed',
          actions: 'takeUnfinished',
        },
        { guard: 'isAllowed', target: '#toolCall.running' },
        { guard: { type: 'isSuppliedAs', params: { status: 'succeeded' } }, target: '#toolCall.succeeded' },
        { guard: 'isSupplied', target: '#toolCall.failed' },
        { guard: 'isRefused', target: '#toolCall.failed', actions: 'takeRefusal' },
        { target: '#toolCall.suspended', actions: ['suspendByVerdict', 'recordSuspension'] },
      ],
    },
  },
})
