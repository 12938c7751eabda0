import type { SleepInput } from '../../src/domain/timer.ts'
import type { SuspensionHead, Verdict } from '../../src/domain/call-plan.ts'
import { assign, fromPromise, sendParent, setup } from 'xstate'
import type {
  DecisionHead,
  GateCallInput,
  GateReplayInput,
  Performed,
  ReplayVerdict,
  ReviewCallInput,
  RunToolInput,
  ToolCallContext,
  ToolCallEvent,
  ToolCallInput,
} from './tool-call.types.ts'
import * as updates from './tool-call.updates.ts'

const definition = setup({
  types: {
    context: {} as ToolCallContext,
    events: {} as ToolCallEvent,
    input: {} as ToolCallInput,
  },
  actors: {
    gateCall: fromPromise<Verdict, GateCallInput>(() => Promise.reject(new Error('Provide the actor "gateCall".'))),
    runTool: fromPromise<Performed, RunToolInput>(() => Promise.reject(new Error('Provide the actor "runTool".'))),
    gateReplay: fromPromise<ReplayVerdict, GateReplayInput>(() =>
      Promise.reject(new Error('Provide the actor "gateReplay".')),
    ),
    reviewCall: fromPromise<void, ReviewCallInput>(() => Promise.reject(new Error('Provide the actor "reviewCall".'))),
    sleep: fromPromise<void, SleepInput>(() => Promise.reject(new Error('Provide the actor "sleep".'))),
  },
  actions: {
    passGate: assign(() => updates.passGate()),
    takeVerdict: assign((_, params: { verdict: Verdict }) => updates.takeVerdict(params.verdict)),
    takeReplayVerdict: assign((_, params: ReplayVerdict) => updates.takeReplayVerdict(params)),
    takeRefusal: assign(({ context }) => updates.takeRefusal(context)),
    takePerformed: assign(({ context }, params: Performed) => updates.takePerformed(context, params)),
    suspendByVerdict: assign(({ context }) => updates.suspend(context, updates.suspensionOf(context))),
    suspendByTool: assign(({ context }, params: { suspension: SuspensionHead }) =>
      updates.suspend(context, params.suspension),
    ),
    keepDecision: assign((_, params: { decision: DecisionHead }) => ({ kept: params.decision })),
    takeKept: assign(({ context }) => updates.takeKept(context)),
    takeDecision: assign((_, params: { decision: DecisionHead }) => updates.takeDecision(params.decision)),
    takeDenial: assign(({ context }) => updates.takeDenial(context)),
    takeCancel: assign(({ context }, params: { text: string; byRun: boolean }) =>
      updates.takeCancel(context, params.text, params.byRun),
    ),
    takeSkip: assign((_, params: { text: string }) => ({ closingText: params.text })),
    takeExpiry: assign(({ context }) => updates.takeExpiry(context)),
    closeUnfinished: assign(() => updates.closeUnfinished()),
    recordSuspension: () => {},
    recordKept: () => {},
    recordClosing: () => {},
    recordStatus: (_, _params: { status: 'succeeded' | 'failed' | 'cancelled' }) => {},
    becomeDue: assign({ isDue: true }),
    reportSuspended: sendParent(({ context }) => updates.suspendedReport(context, false)),
    reportAnswered: sendParent(({ context }) => updates.suspendedReport(context, true)),
    reportSettled: sendParent(({ context }, params: { status: 'succeeded' | 'failed' | 'cancelled' }) =>
      updates.settledReport(context, params.status),
    ),
  },
  guards: {
    isNotDue: ({ context }) => !context.isDue,
    isGatePending: ({ context }) => updates.isGatePending(context),
    isRefused: ({ context }) => context.verdict.kind === 'refused',
    isAllowed: ({ context }) => context.verdict.kind === 'allowed',
    isAnswered: ({ context }, params: { status: 'succeeded' | 'failed' }) =>
      context.verdict.kind === 'answered' && context.verdict.status === params.status,
    hasAnswer: ({ context }) => context.verdict.kind === 'answered',
    hasPerformed: (_, params: { performed: Performed; status: Performed['status'] }) =>
      params.performed.status === params.status,
    answersSuspension: ({ context }, params: { decision: DecisionHead; action: 'resume' | 'cancel' }) =>
      params.decision.action === params.action && updates.answersSuspension(context, params.decision),
    keepsInTime: ({ context }, params: { decision: DecisionHead; action: 'resume' | 'cancel' }) =>
      updates.keepsInTime(context, params.decision, params.action),
    isAnsweredByKept: ({ context }, params: { action: 'resume' | 'cancel' }) =>
      updates.isAnsweredByKept(context, params.action),
    lacksSuspension: ({ context }, params: { action: 'resume' | 'cancel' }) =>
      updates.lacksSuspension(context, params.action),
    isByRun: (_, params: { byRun: boolean }) => params.byRun,
    isReviewed: ({ context }) => updates.isReviewed(context),
  },
})

const machine = definition.createMachine({
  id: 'toolCall',
  description: 'One call of one tool, from the moment the model asked for it to its one result.',
  context: ({ input }) => updates.initialContext(input),
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

export const toolCallMachine: ToolCallMachine = machine
