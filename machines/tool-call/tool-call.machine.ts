import { initialContext } from './tool-call.gate.ts'
import { reviewInput } from './tool-call.result.ts'
import { toolCallSetup } from './tool-call.setup.ts'

const machine = toolCallSetup.createMachine({
  id: 'toolCall',
  description: 'One call of one tool, from the moment the model asked for it to its one result.',
  context: initialContext,
  initial: 'new',
  states: {
    new: {
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
          on: {
            'call.start': {
              target: 'judging',
              actions: { type: 'leaveQueue', params: ({ event }) => event },
            },
          },
        },
        gating: {
          description: 'Plugins are asked before execution.',
          invoke: {
            src: 'ask',
            id: 'gateCall',
            input: ({ context }) => ({ phase: 'gateCall' as const, callId: context.callId, verdict: context.verdict }),
            onDone: {
              target: 'judging',
              actions: { type: 'takeVerdict', params: ({ event }) => event },
            },
          },
        },
      },
    },
    running: {
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
          description: 'One performance of the tool.',
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
                actions: { type: 'takePerformed', params: ({ event }) => event },
              },
              {
                guard: { type: 'mayRetry', params: ({ event }) => ({ performed: event.output }) },
                target: 'backingOff',
                actions: { type: 'takePerformed', params: ({ event }) => event },
              },
              {
                guard: { type: 'hasPerformed', params: ({ event }) => ({ performed: event.output, status: 'failed' }) },
                target: '#toolCall.failed',
                actions: { type: 'takePerformed', params: ({ event }) => event },
              },
              {
                target: '#toolCall.suspended',
                actions: [
                  { type: 'takePerformed', params: ({ event }) => event },
                  { type: 'suspendByTool', params: ({ event }) => event },
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
    },
    suspended: {
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
          description: 'Plugins review the suspension.',
          on: {
            'call.keep': {
              actions: { type: 'keepDecision', params: ({ event }) => ({ decision: event.decision }) },
            },
          },
          invoke: {
            src: 'ask',
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
          description: 'The run knows of the suspension; a decision or the expiry ends it.',
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
          description: 'A decision in time waits until the run passes it on; the request no longer expires.',
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
                actions: [
                  { type: 'takeDecision', params: ({ event }) => ({ decision: event.decision }) },
                  'takeDenial',
                ],
              },
            ],
          },
        },
      },
    },
    resuming: {
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
          description: 'Plugins are asked about the replay.',
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
              actions: { type: 'takeReplayVerdict', params: ({ event }) => event },
            },
          },
        },
        judging: {
          description: 'A call that a damaged document has here without its suspension is closed, never run.',
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
    },
    // Reviewing and settling exist three times. One terminal state around them would hide which of the seven states of
    // TC-01 the call has reached, and those are its stored status.
    succeeded: {
      description: 'The tool, a plugin or a decision gave a result.',
      initial: 'concluding',
      states: {
        concluding: {
          description: 'Does a plugin review the result?',
          always: [{ guard: 'isReviewed', target: 'reviewing' }, { target: 'settled' }],
        },
        reviewing: {
          description: 'Plugins review the result.',
          on: {
            'call.cancel': { guard: { type: 'isByRun', params: ({ event }) => event }, target: 'settled' },
          },
          invoke: {
            src: 'ask',
            id: 'reviewCall',
            input: reviewInput,
            onDone: 'settled',
          },
        },
        settled: {
          description: 'The run knows the status, and nothing changes it.',
          entry: [
            { type: 'recordStatus', params: { status: 'succeeded' } },
            { type: 'reportSettled', params: { status: 'succeeded' } },
          ],
        },
      },
    },
    failed: {
      description: 'Refused at the call gate, or the tool answered with an error.',
      entry: 'recordResult',
      initial: 'concluding',
      states: {
        concluding: {
          description: 'Does a plugin review the result?',
          always: [{ guard: 'isReviewed', target: 'reviewing' }, { target: 'settled' }],
        },
        reviewing: {
          description: 'Plugins review the result.',
          on: {
            'call.cancel': { guard: { type: 'isByRun', params: ({ event }) => event }, target: 'settled' },
          },
          invoke: {
            src: 'ask',
            id: 'reviewCall',
            input: reviewInput,
            onDone: 'settled',
          },
        },
        settled: {
          description: 'The run knows the status, and nothing changes it.',
          entry: [
            { type: 'recordStatus', params: { status: 'failed' } },
            { type: 'reportSettled', params: { status: 'failed' } },
          ],
        },
      },
    },
    cancelled: {
      description: 'Ended by a decision, an expiry, a person or the run; a late result is discarded.',
      entry: 'recordResult',
      initial: 'concluding',
      states: {
        concluding: {
          description: 'Does a plugin review the result?',
          always: [{ guard: 'isReviewed', target: 'reviewing' }, { target: 'settled' }],
        },
        reviewing: {
          description: 'Plugins review the result.',
          on: {
            'call.cancel': { guard: { type: 'isByRun', params: ({ event }) => event }, target: 'settled' },
          },
          invoke: {
            src: 'ask',
            id: 'reviewCall',
            input: reviewInput,
            onDone: 'settled',
          },
        },
        settled: {
          description: 'The run knows the status, and nothing changes it.',
          entry: [
            { type: 'recordStatus', params: { status: 'cancelled' } },
            { type: 'reportSettled', params: { status: 'cancelled' } },
          ],
        },
      },
    },
  },
})

type ToolCallLogic = typeof machine

/** Layer 2: one actor per call, seven states, fifteen edges (requirement TC-01). */
export interface ToolCallMachine extends ToolCallLogic {}

/** The chart of a call. The driver binds its actors and actions. */
export const toolCallMachine: ToolCallMachine = machine
