import { evaluateInput, initialContext } from './branches.calls.ts'
import { branchesSetup } from './branches.setup.ts'

const machine = branchesSetup.createMachine({
  id: 'branches',
  description: 'One group of branches: runs of several agents on one prompt, and the selection of one of them.',
  context: initialContext,
  initial: 'starting',
  states: {
    starting: {
      description: 'Each branch gets its call.',
      entry: ['recordBranches', 'spawnBranches', 'announceStart', 'announceBranches'],
      always: 'running',
    },
    running: {
      description: 'A branch works, or all have ended.',
      always: [
        { guard: 'mustWait', target: 'waiting' },
        { guard: 'isEnded', target: 'selecting' },
        { guard: 'isLost', target: 'selecting', actions: 'failWithoutCandidate' },
        { guard: 'isOver', target: 'evaluating' },
      ],
    },
    waiting: {
      description: 'Branches wait for decisions; no process needs to be alive.',
      entry: [{ type: 'checkpoint', params: { name: 'RunFinished' } }, 'announceWait'],
      always: { guard: 'goesOn', target: 'running', actions: 'announceResume' },
    },
    evaluating: {
      description: 'Every branch has ended, and the strategy selects one of those that may win.',
      invoke: {
        src: 'evaluate',
        id: 'evaluate',
        input: evaluateInput,
        onDone: {
          target: 'selecting',
          actions: [{ type: 'takeSelection', params: ({ event }) => event }, 'conclude'],
        },
      },
    },
    selecting: {
      description: 'Commit point of the selection, or of an end without one.',
      entry: [
        'recordSelection',
        'recordUndelivered',
        { type: 'checkpoint', params: { name: 'RunFinished' } },
        'announceSelection',
        'announceEnd',
      ],
      always: 'done',
    },
    done: { type: 'final', description: 'The group has ended.' },
  },
  on: {
    'toolCall.suspended': {
      actions: { type: 'takeSuspension', params: ({ event }) => ({ report: event }) },
    },
    'toolCall.settled': {
      actions: [
        { type: 'takeSettlement', params: ({ event }) => event },
        { type: 'dropCall', params: ({ event }) => ({ callId: event.callId }) },
      ],
    },
    'decision.received': [
      {
        guard: { type: 'isKeptDecision', params: ({ event }) => ({ decision: event.decision }) },
        actions: { type: 'keepDecision', params: ({ event }) => ({ decision: event.decision }) },
      },
      {
        guard: { type: 'answersBranch', params: ({ event }) => ({ decision: event.decision }) },
        actions: [
          { type: 'applyDecision', params: ({ event }) => ({ decision: event.decision }) },
          { type: 'markApplied', params: ({ event }) => ({ decision: event.decision }) },
        ],
      },
    ],
    'message.queued': {
      actions: { type: 'queueMessage', params: ({ event }) => ({ queued: event.queued }) },
    },
    'message.posted': {
      actions: { type: 'recordPosted', params: ({ event }) => ({ message: event.message }) },
    },
    'call.cancelRequested': {
      guard: { type: 'isKnownBranch', params: ({ event }) => ({ callId: event.callId }) },
      actions: { type: 'cancelBranch', params: ({ event }) => ({ callId: event.callId, text: event.text }) },
    },
    'run.cancelRequested': { target: '.running', actions: ['cancelGroup', 'cancelBranches'] },
    'run.failed': {
      target: '.running',
      actions: [{ type: 'failGroup', params: ({ event }) => ({ error: event.error }) }, 'cancelBranches'],
    },
  },
})

type BranchesLogic = typeof machine

/** Layer 0: a group of branches (requirement AGT-06). */
export interface BranchesMachine extends BranchesLogic {}

/** The chart of a group. The driver binds its actors and actions. */
export const branchesMachine: BranchesMachine = machine
