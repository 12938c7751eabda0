import { call, configuration } from './configuration-parts.ts'
import type { Configuration } from './exploration-types.ts'

const sequential = { batchSize: 1, stopsOnSuspension: true }
const bothDecisions = ['resume', 'cancel'] as const
const anyEnd = { cancelRun: true, fail: true } as const
const turns = (action: 'stop' | 'error' | 'finish', max: number) => [{ code: 'max_turns' as const, max, action }]
const duration = (action: 'stop' | 'error' | 'finish') => [{ code: 'max_duration' as const, max: 100, action }]
const filtering = ['passed', 'warned', 'rejected'] as const
const hooks = ['beforeRun', 'beforeTurn', 'afterTurn', 'afterRun', 'onError'] as const

/** Configurations with incoming messages: filtered and built prompts, and messages to a running run. */
export const ofMessages: readonly Configuration[] = [
  configuration('steering between calls', {
    options: { executor: sequential },
    turns: [[call('1.a'), call('1.b')]],
    outcomes: { runTool: ['succeeded', 'suspended'] },
    interference: { cancelRun: true, decisions: ['resume'], says: ['steer'] },
  }),
  configuration('steering and a follow-up of a parallel round', {
    turns: [[call('1.a'), call('1.b', 'suspended')]],
    interference: { decisions: bothDecisions, says: ['steer', 'followUp'] },
  }),
  configuration('all that is said together', {
    options: { queueModes: { steer: 'all', followUp: 'all' } },
    turns: [[call('1.a')]],
    interference: { says: ['steer', 'steer', 'followUp', 'followUp'] },
  }),
  configuration('one at a time', {
    turns: [[call('1.a')]],
    interference: { cancelRun: true, says: ['steer', 'steer', 'followUp', 'followUp'] },
  }),
  configuration('results of background work beside what is said', {
    options: { watched: ['filterInput'] },
    turns: [[call('1.a')]],
    outcomes: { filterInput: filtering },
    interference: { cancelRun: true, says: ['background', 'background', 'steer', 'followUp'] },
  }),
  configuration('a result while the end is heard', {
    options: { watched: ['runEnd', 'afterRun'] },
    interference: { ...anyEnd, says: ['background'] },
  }),
  configuration('said while the end is heard', {
    options: { watched: ['runEnd', 'afterRun'] },
    interference: { ...anyEnd, says: ['steer', 'followUp', 'extension'] },
  }),
  configuration('said while the end is heard, to a run whose answers have to fit', {
    options: { watched: ['runEnd', 'afterTurn'], limits: turns('stop', 3) },
    outcomes: { callModel: ['text', 'unfit'] },
    interference: { says: ['followUp'] },
  }),
  configuration('said before a plugin has had enough', {
    options: { watched: ['afterModel', 'stepStart'] },
    turns: [[call('1.a')]],
    outcomes: { ask: ['passed', 'terminated', 'stopped'] },
    interference: { says: ['followUp'], cancelRun: true },
  }),
  ...(['stop', 'error', 'finish'] as const).map((action) =>
    configuration(`said to a run whose limit is ${action}`, {
      options: { limits: turns(action, 1) },
      turns: [[call('1.a', 'suspended'), call('1.b')]],
      interference: { decisions: ['resume'], says: ['steer', 'followUp'] },
    }),
  ),
  configuration('filters and a context builder', {
    options: { watched: ['filterInput', 'buildContext', 'runStart'] },
    outcomes: { filterInput: filtering, buildContext: ['kept', 'replaced'], ask: ['passed', 'stopped'] },
    interference: { ...anyEnd, says: ['steer'] },
  }),
  configuration('filters, a memory and a context builder', {
    options: { watched: ['filterInput', 'recall', 'buildContext'] },
    outcomes: { filterInput: filtering, buildContext: ['kept', 'replaced'] },
    interference: { ...anyEnd, says: ['steer'] },
  }),
  configuration('a memory, and a plugin at the start', {
    options: { watched: ['recall', 'runStart'], limits: duration('finish') },
    turns: [[call('1.a', 'suspended')]],
    outcomes: { ask: ['passed', 'held'] },
    reason: 'plugin',
    interference: { decisions: ['resume'], cancelRun: true },
  }),
  configuration('a context builder alone', {
    options: { watched: ['buildContext'] },
    outcomes: { buildContext: ['kept', 'replaced'] },
    interference: anyEnd,
  }),
  configuration('filters, and a plugin at the start', {
    options: { watched: ['filterInput', 'runStart'] },
    outcomes: { filterInput: filtering, ask: ['passed', 'held'] },
    reason: 'plugin',
    interference: { decisions: ['resume'], says: ['followUp'] },
  }),
  configuration('filters of what is said', {
    options: { watched: ['filterInput'], queueModes: { steer: 'all', followUp: 'one' } },
    outcomes: { filterInput: filtering },
    interference: { cancelRun: true, says: ['steer', 'steer', 'followUp'] },
  }),
  ...(['stop', 'error', 'finish'] as const).map((action) =>
    configuration(`running time that is ${action} while filters and hooks are asked`, {
      options: { limits: duration(action), watched: ['filterInput', 'beforeTurn', 'afterTurn', 'afterRun'] },
      outcomes: { filterInput: ['passed', 'rejected'] },
      interference: { says: ['steer'], cancelRun: true },
    }),
  ),
  configuration('said before a plugin listens to inference', {
    options: { watched: ['beforeModel'] },
    interference: { says: ['followUp'] },
  }),
  configuration('an answer that has to fit', {
    turns: [[call('1.a', 'suspended'), call('1.b')]],
    outcomes: { callModel: ['calls', 'text', 'unfit', 'spoiled'] },
    options: { limits: turns('stop', 3) },
    interference: { decisions: ['resume'], says: ['steer', 'followUp'], cancelRun: true },
  }),
  configuration('an answer that has to fit and is corrected once', {
    options: { outputRetries: 1, watched: ['afterModel'], limits: turns('stop', 3) },
    turns: [[call('1.a')]],
    outcomes: { callModel: ['calls', 'text', 'unfit'], ask: ['passed', 'terminated'] },
    interference: { says: ['steer'] },
  }),
  configuration('an answer that has to fit, heard by plugins', {
    options: { watched: ['afterModel', 'afterTurn'], limits: turns('finish', 2) },
    outcomes: { callModel: ['text', 'unfit', 'spoiled'], ask: ['passed', 'terminated', 'stopped'] },
    interference: anyEnd,
  }),
  configuration('answers that a plugin refuses', {
    options: { outputRetries: 1, watched: ['onAnswer', 'beforeModel'] },
    turns: [[call('1.a', 'suspended'), call('1.b')]],
    outcomes: { callModel: ['calls', 'text', 'refused'] },
    interference: { decisions: ['resume'] },
  }),
  configuration('answers that have to fit, and that a plugin refuses', {
    options: { outputRetries: 1, watched: ['onAnswer', 'afterTurn'] },
    outcomes: { callModel: ['text', 'unfit', 'refused'] },
    interference: { ...anyEnd, says: ['steer'] },
  }),
  ...(['stop', 'error', 'finish'] as const).map((action) =>
    configuration(`answers that a plugin refuses, limit of interactions that is ${action}`, {
      options: { watched: ['onAnswer'], limits: [{ code: 'max_tool_interactions', max: 2, action }] },
      turns: [[call('1.a')]],
      outcomes: { callModel: ['calls', 'text', 'refused', 'truncated'] },
      interference: { ...anyEnd, says: ['followUp'] },
    }),
  ),
  ...(['stop', 'error', 'finish', 'none'] as const).map((action) =>
    configuration(`an account that is used up, limit that is ${action}`, {
      options: {
        limits: action === 'none' ? [] : [{ code: 'max_cost', max: 100, action }],
        watched: ['beforeModel', 'afterTurn'],
      },
      turns: [[call('1.a', 'suspended'), call('1.b')]],
      outcomes: { callModel: ['calls', 'text', 'exhausted'] },
      interference: { ...anyEnd, decisions: bothDecisions },
    }),
  ),
  configuration('an account that is used up, and somebody is asked for more', {
    options: { limits: [{ code: 'max_cost', max: 1, action: 'ask' }, ...turns('finish', 2)], watched: ['beforeModel'] },
    turns: [[call('1.a')], [call('2.a')]],
    outcomes: { callModel: ['calls', 'text', 'asking', 'exhausted'] },
    reason: 'limit',
    interference: { decisions: bothDecisions, cancelRun: true, fail: true },
  }),
  ...(['stop', 'finish'] as const).map((action) =>
    configuration(`a model that cannot be reached, limit that is ${action}`, {
      options: { onModelFailure: 'wait', maxRetries: 1, limits: turns(action, 1) },
      turns: [[call('1.a', 'suspended'), call('1.b')]],
      outcomes: { callModel: ['calls', 'text', 'busy', 'broken', 'unauthorized'], refreshCredentials: ['failed'] },
      reason: 'model_unavailable',
      interference: { decisions: bothDecisions, cancelRun: true, fail: true },
    }),
  ),
]

/** Configurations with hooks of the loop: together, alone and beside phases. */
export const ofHooks: readonly Configuration[] = [
  configuration('hooks of the loop', {
    options: { watched: hooks },
    turns: [[call('1.a')]],
    outcomes: { ask: ['passed', 'stopped'], callModel: ['calls', 'text', 'broken'] },
    interference: anyEnd,
  }),
  ...hooks.map((hook) =>
    configuration(`hook ${hook} alone`, {
      options: { watched: [hook] },
      turns: [[call('1.a', 'suspended')]],
      outcomes: { ask: ['passed', 'stopped'], callModel: ['calls', 'text', 'broken'] },
      interference: { ...anyEnd, decisions: bothDecisions, says: ['followUp'] },
    }),
  ),
  configuration('hooks beside the phases of the loop', {
    options: {
      watched: ['beforeRun', 'filterInput', 'runStart', 'stepStart', 'beforeModel', 'beforeTurn', 'runEnd', 'onError'],
    },
    outcomes: { ask: ['passed', 'terminated'], callModel: ['text', 'broken'] },
    interference: { ...anyEnd, says: ['steer'] },
  }),
  configuration('beforeRun before a context builder', {
    options: { watched: ['beforeRun', 'buildContext', 'beforeModel', 'beforeTurn'] },
    interference: { cancelRun: true },
  }),
  configuration('beforeRun before a plugin', {
    options: { watched: ['beforeRun', 'runStart', 'stepStart', 'beforeTurn'], limits: duration('finish') },
    outcomes: { ask: ['passed', 'stopped'] },
    interference: { says: ['steer'], cancelRun: true },
  }),
  configuration('a turn that is cancelled or fails while it is judged', {
    options: { watched: ['afterModel', 'stepEnd', 'afterTurn', 'onError', 'runEnd'], onModelFailure: 'wait' },
    outcomes: { callModel: ['text', 'busy', 'broken'] },
    reason: 'model_unavailable',
    interference: { ...anyEnd, decisions: ['resume'] },
  }),
]
