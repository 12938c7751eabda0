import { initialContext } from './tool-call.context.ts'
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
          description: 'Block, a set result, unknown tool, bad arguments, suspend, execute: in this order.',
          always: [
            { guard: 'isNotDue', target: 'queued' },
            { guard: 'isGatePending', target: 'gating' },
            { guard: 'isAllowed', target: '#toolCall.running.executing' },
            { guard: 'isRefused', target: '#toolCall.failed', actions: ['passGate', 'takeRefusal'] },
            { guard: 'hasAnswer', target: '#toolCall.running.answered', actions: 'passGate' },
            { target: '#toolCall.suspended', actions: ['passGate', 'suspendByVerdict', 'recordSuspension'] },
          ],
        },
        queued: {
          description: 'Its turn in the round has not come.',
          on: { 'call.start': { target: 'judging', actions: 'becomeDue' } },
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
            'passGate',
            { type: 'takeCancel', params: ({ event }) => ({ text: event.text, byRun: event.byRun }) },
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
        answered: {
          description: 'A plugin set the result; nothing executes.',
          always: [
            { guard: { type: 'isAnswered', params: { status: 'succeeded' } }, target: '#toolCall.succeeded' },
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
              guard: { type: 'isAnsweredByKept', params: { action: 'resume' } },
              target: '#toolCall.resuming',
              actions: ['reportAnswered', 'takeKept', 'recordKept'],
            },
            {
              guard: { type: 'isAnsweredByKept', params: { action: 'cancel' } },
              target: '#toolCall.cancelled',
              actions: ['reportAnswered', 'takeKept', 'recordKept', 'takeDenial'],
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
            input: ({ context }) => ({ callId: context.callId }),
            onDone: [
              {
                guard: { type: 'isAnsweredByKept', params: { action: 'resume' } },
                target: '#toolCall.resuming',
                actions: ['reportAnswered', 'takeKept', 'recordKept'],
              },
              {
                guard: { type: 'isAnsweredByKept', params: { action: 'cancel' } },
                target: '#toolCall.cancelled',
                actions: ['reportAnswered', 'takeKept', 'recordKept', 'takeDenial'],
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
            'call.answered': 'answered',
            'call.keep': [
              {
                guard: { type: 'keepsInTime', params: ({ event }) => ({ decision: event.decision, action: 'resume' }) },
                target: '#toolCall.resuming',
                actions: [
                  { type: 'keepDecision', params: ({ event }) => ({ decision: event.decision }) },
                  'reportAnswered',
                  'takeKept',
                  'recordKept',
                ],
              },
              {
                guard: { type: 'keepsInTime', params: ({ event }) => ({ decision: event.decision, action: 'cancel' }) },
                target: '#toolCall.cancelled',
                actions: [
                  { type: 'keepDecision', params: ({ event }) => ({ decision: event.decision }) },
                  'reportAnswered',
                  'takeKept',
                  'recordKept',
                  'takeDenial',
                ],
              },
            ],
          },
        },
        answered: {
          description: 'A decision made in time waits for its turn; the request expires no more.',
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
      description: 'The gate of a replay; nothing executes here.',
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
              actions: 'closeUnfinished',
            },
            {
              guard: { type: 'lacksSuspension', params: { action: 'resume' } },
              target: '#toolCall.failed',
              actions: 'closeUnfinished',
            },
            { guard: 'isAllowed', target: '#toolCall.running.executing' },
            { guard: { type: 'isAnswered', params: { status: 'succeeded' } }, target: '#toolCall.succeeded' },
            { guard: 'hasAnswer', target: '#toolCall.failed' },
            { guard: 'isRefused', target: '#toolCall.failed', actions: 'takeRefusal' },
            { target: '#toolCall.suspended', actions: ['suspendByVerdict', 'recordSuspension'] },
          ],
        },
      },
    },
    succeeded: {
      description: 'The tool, a plugin or a decision gave a result.',
      initial: 'concluding',
      states: {
        concluding: { always: [{ guard: 'isReviewed', target: 'reviewing' }, { target: 'settled' }] },
        reviewing: {
          on: {
            'call.cancel': { guard: { type: 'isByRun', params: ({ event }) => event }, target: 'settled' },
          },
          invoke: {
            src: 'reviewCall',
            id: 'reviewCall',
            input: ({ context }) => ({ callId: context.callId }),
            onDone: 'settled',
          },
        },
        settled: {
          entry: [
            { type: 'recordStatus', params: { status: 'succeeded' } },
            { type: 'reportSettled', params: { status: 'succeeded' } },
          ],
        },
      },
    },
    failed: {
      description: 'Refused at a gate, or the tool answered with an error.',
      entry: 'recordClosing',
      initial: 'concluding',
      states: {
        concluding: { always: [{ guard: 'isReviewed', target: 'reviewing' }, { target: 'settled' }] },
        reviewing: {
          on: {
            'call.cancel': { guard: { type: 'isByRun', params: ({ event }) => event }, target: 'settled' },
          },
          invoke: {
            src: 'reviewCall',
            id: 'reviewCall',
            input: ({ context }) => ({ callId: context.callId }),
            onDone: 'settled',
          },
        },
        settled: {
          entry: [
            { type: 'recordStatus', params: { status: 'failed' } },
            { type: 'reportSettled', params: { status: 'failed' } },
          ],
        },
      },
    },
    cancelled: {
      description: 'Ended by a decision, an expiry, a person or the run; a late result is discarded.',
      entry: 'recordClosing',
      initial: 'concluding',
      states: {
        concluding: { always: [{ guard: 'isReviewed', target: 'reviewing' }, { target: 'settled' }] },
        reviewing: {
          on: {
            'call.cancel': { guard: { type: 'isByRun', params: ({ event }) => event }, target: 'settled' },
          },
          invoke: {
            src: 'reviewCall',
            id: 'reviewCall',
            input: ({ context }) => ({ callId: context.callId }),
            onDone: 'settled',
          },
        },
        settled: {
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

/** The chart of a call; who drives it binds its actors and actions. */
export const toolCallMachine: ToolCallMachine = machine
