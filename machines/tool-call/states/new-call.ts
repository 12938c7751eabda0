import { toolCallSetup } from '../tool-call.setup.ts'

/** State `new` of a call. */
export const newCall = toolCallSetup.createStateConfig({
  description: 'Seen and not started.',
  initial: 'judging',
  on: {
    'call.keep': {
      actions: { type: 'keepDecision', params: ({ event }) => ({ decision: event.decision }) },
    },
    'call.cancel': {
      target: 'cancelled',
      actions: { type: 'takeCancel', params: ({ event }) => ({ text: event.text, byRun: event.byRun }) },
    },
    'call.skip': {
      target: 'failed',
      actions: { type: 'takeSkip', params: ({ event }) => ({ text: event.text }) },
    },
  },
  states: {
    judging: {
      description: 'Block, a supplied result, unknown tool, bad arguments, suspend, execute: in this order.',
      always: [
        { guard: 'isSkipped', target: '#toolCall.failed', actions: 'takeRefusal' },
        { guard: 'isQueued', target: 'queued' },
        { guard: 'isCallGatePending', target: 'gating' },
        { guard: 'isAllowed', target: '#toolCall.running' },
        { guard: 'isRefused', target: '#toolCall.failed', actions: ['passCallGate', 'takeRefusal'] },
        { guard: 'isSupplied', target: '#toolCall.running.supplied', actions: 'passCallGate' },
        { target: '#toolCall.suspended', actions: ['passCallGate', 'suspendByVerdict', 'recordSuspension'] },
      ],
    },
    queued: {
      description: 'Its batch has not started.',
      on: { 'call.start': { target: 'judging', actions: 'leaveQueue' } },
    },
    gating: {
      description: 'Plugins are asked before execution.',
      invoke: {
        src: 'gateCall',
        id: 'gateCall',
        input: ({ context }) => ({ callId: context.callId, verdict: context.verdict }),
        onDone: {
          target: 'judging',
          actions: { type: 'takeVerdict', params: ({ event }) => ({ verdict: event.output }) },
        },
      },
    },
  },
})
