import { outputOf } from './run.closing.ts'
import { timeLeft } from './run.limits.ts'
import { runSetup } from './run.setup.ts'
import { initialContext } from './run.turn.ts'
import { closing } from './states/closing.ts'
import { opening } from './states/opening.ts'
import { resumeGate } from './states/resume-gate.ts'
import { toolRound } from './states/tool-round.ts'
import { turn } from './states/turn.ts'

const machine = runSetup.createMachine({
  id: 'run',
  description: 'One run of an agent: turns of the model, rounds of tool calls, waits for decisions, one ending.',
  context: initialContext,
  output: outputOf,
  initial: 'running',
  states: {
    running: {
      description: 'The engine has something to do, for as long as its running time allows.',
      initial: 'opening',
      invoke: {
        src: 'keepTime',
        id: 'runningTime',
        input: timeLeft,
        onDone: { actions: [{ type: 'takeTimeOver', params: ({ event }) => event.output }, 'dropTimer'] },
      },
      on: {
        'run.woken': {
          actions: [{ type: 'startClock', params: ({ event }) => event }, 'restartTimer'],
        },
        'toolCall.suspended': {
          actions: [{ type: 'takeSuspension', params: ({ event }) => ({ report: event }) }, 'tellDecided'],
        },
        'toolCall.settled': {
          actions: [
            { type: 'takeSettlement', params: ({ event }) => ({ report: event }) },
            { type: 'dropCall', params: ({ event }) => ({ callId: event.callId }) },
          ],
        },
      },
      states: {
        opening,
        resumeGate,
        turn,
        toolRound,
        closing,
      },
    },
    waiting: {
      description: 'Suspended calls wait for decisions; no process needs to be alive.',
      entry: 'stopClock',
      always: [
        { guard: 'hasApplicable', target: '#run.running.opening.restarting' },
        { guard: 'hasNoOpenCalls', target: '#run.running.opening.restarting' },
      ],
      on: {
        'toolCall.suspended': {
          target: '#run.running.opening.restarting',
          actions: { type: 'takeSuspension', params: ({ event }) => ({ report: event }) },
        },
        'toolCall.settled': {
          target: '#run.running.opening.restarting',
          actions: [
            { type: 'takeSettlement', params: ({ event }) => ({ report: event }) },
            { type: 'dropCall', params: ({ event }) => ({ callId: event.callId }) },
          ],
        },
      },
    },
    done: { type: 'final' },
  },
  on: {
    'decision.received': [
      {
        guard: { type: 'isKeptDecision', params: ({ event }) => ({ decision: event.decision }) },
        actions: { type: 'keepDecision', params: ({ event }) => ({ decision: event.decision }) },
      },
      {
        guard: { type: 'isKnownCall', params: ({ event }) => ({ callId: event.decision.callId }) },
        actions: [
          { type: 'queueDecision', params: ({ event }) => ({ decision: event.decision, at: event.at }) },
          'tellDecided',
        ],
      },
    ],
    'message.queued': {
      actions: { type: 'queueMessages', params: ({ event }) => ({ queued: event.queued }) },
    },
    'message.posted': {
      actions: { type: 'recordPosted', params: ({ event }) => ({ message: event.message }) },
    },
    'call.cancelRequested': {
      guard: { type: 'isKnownCall', params: ({ event }) => ({ callId: event.callId }) },
      actions: { type: 'cancelCall', params: ({ event }) => ({ callId: event.callId, text: event.text }) },
    },
    'run.cancelRequested': {
      target: '#run.running.closing',
      actions: { type: 'cancelRun', params: { note: null } },
    },
    'run.failed': {
      target: '#run.running.closing',
      actions: { type: 'failRun', params: ({ event }) => ({ error: event.error }) },
    },
  },
})

type RunLogic = typeof machine

/** Layer 1: the run (requirements RUN-01 to RUN-04). */
export interface RunMachine extends RunLogic {}

/** The chart of a run; who drives it binds its actors and actions. */
export const runMachine: RunMachine = machine
