import { assign, enqueueActions, fromPromise, setup, stopChild } from 'xstate'
import type { CheckpointName } from '../../src/core/domain/outcome.ts'
import type { Message } from '../../src/core/domain/message.ts'
import { toolCallMachine } from '../tool-call/tool-call.machine.ts'
import * as calls from './branches.calls.ts'
import * as ending from './branches.ending.ts'
import type { BranchesContext, BranchesEvent, BranchesInput, EvaluateInput, Evaluated } from './branches.types.ts'

const base = setup({
  types: {
    context: {} as BranchesContext,
    events: {} as BranchesEvent,
    input: {} as BranchesInput,
  },
  actors: {
    toolCall: toolCallMachine,
    evaluate: fromPromise<Evaluated, EvaluateInput>(() => Promise.reject(new Error('Provide the actor "evaluate".'))),
  },
  actions: {
    checkpoint: (_, _params: { name: CheckpointName }) => {},
    recordBranches: unprovided('recordBranches'),
    recordSelection: unprovided('recordSelection'),
    recordUndelivered: unprovided('recordUndelivered'),
    recordPosted: (_, _params: { message: Message }) => unprovided('recordPosted')(),
    announceStart: () => {},
    announceBranches: () => {},
    announceWait: () => {},
    announceResume: () => {},
    announceSelection: () => {},
    announceEnd: () => {},
    spawnBranches: assign(calls.spawnBranches),
    markApplied: assign(calls.markApplied),
    takeSuspension: assign(calls.takeSuspension),
    takeSettlement: assign(calls.takeSettlement),
    dropCall: stopChild(calls.settledChild),
    takeSelection: assign(calls.takeSelection),
    queueMessage: assign(calls.queueMessage),
    cancelGroup: assign(ending.cancelGroup),
    failGroup: assign(ending.failGroup),
    failWithoutCandidate: assign(ending.failWithoutCandidate),
    conclude: assign(ending.conclude),
  },
  guards: {
    isKnownBranch: calls.isKnownBranch,
    isKeptDecision: calls.isKeptDecision,
    answersBranch: calls.answersBranch,
    isOver: calls.isOver,
    mustWait: calls.mustWait,
    goesOn: calls.goesOn,
    isEnded: calls.isEnded,
    isLost: calls.isLost,
  },
})

/** An action without an implementation throws, so that no write is lost. */
function unprovided(name: string) {
  return () => {
    throw new Error(`Provide the action "${name}".`)
  }
}

/** The names in the group's chart with their functions. The interpreter's types require separate senders. */
export const branchesSetup = base.extend({
  actions: {
    keepDecision: enqueueActions(calls.keepDecision),
    applyDecision: enqueueActions(calls.applyDecision),
    cancelBranch: enqueueActions(calls.cancelBranch),
    cancelBranches: enqueueActions(calls.cancelBranches),
  },
})
