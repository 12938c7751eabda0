import { call, configuration } from './configuration-parts.ts'
import type { Configuration } from './exploration-types.ts'
import { ofHooks, ofMessages } from './configurations-of-messages.ts'
import { ofPermissions } from './configurations-of-permissions.ts'

const sequential = { batchSize: 1, stopsOnSuspension: true }
const pairs = { batchSize: 2, stopsOnSuspension: true }

const bothDecisions = ['resume', 'cancel'] as const
const loopPhases = ['runStart', 'stepStart', 'beforeModel', 'afterModel', 'stepEnd', 'runEnd'] as const
const callPhases = ['gateCall', 'reviewCall'] as const
const anyEnd = { cancelRun: true, fail: true, strays: true } as const
const endings = ['passed', 'terminated', 'stopped'] as const

const ofModels: readonly Configuration[] = [
  configuration('text only', { interference: { ...anyEnd, wake: true } }),
  configuration('retries, fallbacks and continuations', {
    options: { maxRetries: 1, fallbacks: 1 },
    outcomes: { callModel: ['text', 'truncated', 'busy', 'broken'] },
    interference: anyEnd,
  }),
  configuration('credentials refused', {
    options: { maxRetries: 1, fallbacks: 1 },
    outcomes: { callModel: ['text', 'truncated', 'busy', 'unauthorized'], refreshCredentials: ['refreshed', 'failed'] },
    interference: anyEnd,
  }),
  configuration('prompts refused as too long', {
    options: { maxRetries: 1, fallbacks: 1 },
    outcomes: { callModel: ['text', 'truncated', 'busy', 'overflowed'] },
    interference: anyEnd,
  }),
  configuration('pictures and files refused', {
    options: { maxRetries: 1, fallbacks: 1 },
    turns: [[call('1.a')]],
    outcomes: { callModel: ['calls', 'text', 'truncated', 'busy', 'overflowed', 'mediaRefused', 'outgrown'] },
    interference: anyEnd,
  }),
  configuration('old messages told in short', {
    options: { limits: [{ code: 'max_cost', max: 2, action: 'stop' }] },
    turns: [[call('1.a')]],
    outcomes: {
      callModel: ['calls', 'text', 'overflowed', 'outgrown'],
      compactPrompt: ['compacted', 'outgrown'],
    },
    interference: anyEnd,
  }),
  configuration('phases of the loop', {
    options: { watched: loopPhases },
    turns: [[call('1.a')]],
    outcomes: { ask: endings, callModel: ['calls', 'text', 'broken'] },
    interference: anyEnd,
  }),
  configuration('a plugin holds the run', {
    options: { watched: ['runStart', 'runEnd'] },
    outcomes: { ask: ['passed', 'held'], gateReplay: ['supplied', 'suspended'] },
    interference: { ...anyEnd, decisions: bothDecisions, cancelCall: true, expiry: true },
    reason: 'plugin',
    maxSuspensions: 2,
  }),
  configuration('a plugin ends the run before and after a wait', {
    options: { watched: ['runStart', 'afterModel'] },
    turns: [[call('1.a', 'suspended')]],
    outcomes: { ask: ['passed', 'terminated', 'stopped'] },
    interference: { decisions: ['resume'] },
  }),
  ...loopPhases.map((phase) =>
    configuration(`phase ${phase} alone`, {
      options: { watched: [phase] },
      turns: [[call('1.a', 'suspended')]],
      outcomes: { ask: endings },
      interference: { ...anyEnd, decisions: ['resume'], cancelCall: true },
    }),
  ),
]

const ofSingleCalls: readonly Configuration[] = [
  configuration('one call', {
    turns: [[call('1.a')]],
    outcomes: {
      runTool: ['succeeded', 'failed', 'suspended', 'patched'],
      gateReplay: ['allowed', 'edited', 'refused', 'supplied', 'suppliedBadly', 'suspended'],
    },
    maxSuspensions: 2,
    interference: { ...anyEnd, decisions: bothDecisions, kept: bothDecisions, cancelCall: true },
  }),
  configuration('one call, tried again', {
    turns: [[call('1.a', 'allowed', { effects: 'idempotent' })]],
    outcomes: { runTool: ['succeeded', 'failed', 'retried', 'suspended'] },
    interference: { cancelRun: true, fail: true, wake: true, decisions: ['resume'], cancelCall: true },
  }),
  configuration('one call, tried again, watched', {
    options: { watched: callPhases },
    turns: [[call('1.a', 'allowed', { effects: 'none' })]],
    outcomes: { runTool: ['succeeded', 'failed', 'retried'] },
    interference: { cancelCall: true, cancelRun: true },
  }),
  configuration('one call, watched', {
    options: { watched: callPhases },
    turns: [[call('1.a')]],
    outcomes: {
      gateCall: ['allowed', 'refused', 'supplied', 'suppliedBadly', 'suspended'],
      runTool: ['succeeded', 'failed', 'suspended'],
      gateReplay: ['allowed', 'refused', 'supplied', 'suppliedBadly', 'suspended'],
    },
    maxSuspensions: 2,
    interference: { decisions: ['resume'], cancelCall: true, cancelRun: true },
  }),
  configuration('one call, watched and decided early', {
    options: { watched: callPhases },
    turns: [[call('1.a')]],
    outcomes: { gateCall: ['allowed', 'suspended'], runTool: ['succeeded', 'suspended'] },
    interference: { ...anyEnd, decisions: bothDecisions, kept: bothDecisions },
  }),
  configuration('one call, decisions at the gate', {
    options: { decisions: 'gate' },
    turns: [[call('1.a', 'suspended')], [call('2.a', 'refused')]],
    interference: { ...anyEnd, decisions: bothDecisions, cancelCall: true },
  }),
  configuration('one interrupted call that expires', {
    turns: [[call('1.a')]],
    outcomes: { runTool: ['succeeded', 'suspended'] },
    reason: 'interrupted',
    interference: { ...anyEnd, decisions: bothDecisions, kept: ['resume'], cancelCall: true, expiry: true },
  }),
  configuration('one refused call, then one that waits', {
    turns: [[call('1.a', 'refused')], [call('2.a', 'suspended')]],
    interference: { ...anyEnd, decisions: bothDecisions },
  }),
]

const ofPairs: readonly Configuration[] = [
  ...(['continue', 'wait'] as const).flatMap((onPartialSuspension) =>
    (['immediate', 'gate'] as const).map((decisions) =>
      configuration(`two calls, one suspended, ${onPartialSuspension}, ${decisions}`, {
        options: { onPartialSuspension, decisions },
        turns: [[call('1.a', 'suspended'), call('1.b')]],
        outcomes: { runTool: ['succeeded', 'failed'] },
        interference: { cancelRun: true, decisions: bothDecisions, cancelCall: true },
      }),
    ),
  ),
  configuration('a suspended call outlives its round', {
    turns: [[call('1.a', 'suspended'), call('1.b')], [call('2.c')]],
    interference: { decisions: ['resume'], cancelRun: true, fail: true },
  }),
  configuration('two suspended calls', {
    turns: [[call('1.a', 'suspended'), call('1.b', 'suspended')]],
    interference: { decisions: bothDecisions, cancelCall: true },
  }),
  configuration('two calls that suspend in their tools', {
    turns: [[call('1.a'), call('1.b')]],
    outcomes: { runTool: ['succeeded', 'suspended'] },
    interference: { decisions: ['resume'], kept: ['resume'] },
  }),
  ...(['service', 'permission'] as const).flatMap((reason) =>
    [true, false].map((blocksRun) =>
      configuration(`a ${reason} beside a call, ${blocksRun ? 'waiting' : 'not waiting'}`, {
        turns: [[call('1.a', 'allowed', { blocksRun }), call('1.b')]],
        outcomes: { runTool: ['succeeded', 'suspended'] },
        reason,
        interference: { decisions: ['resume'] },
      }),
    ),
  ),
  configuration('two parallel calls change one path', {
    turns: [[call('1.a'), call('1.b')]],
    outcomes: { runTool: ['succeeded', 'patched', 'suspended'] },
    interference: { decisions: ['resume'] },
  }),
  configuration('a suspended call and one left out', {
    turns: [[call('1.a', 'suspended'), call('1.b', 'skipped')]],
    interference: { ...anyEnd, decisions: bothDecisions, cancelCall: true },
  }),
  configuration('a call left out of a watched, sequential round', {
    options: { executor: sequential, watched: [...callPhases, 'afterModel'] },
    turns: [[call('1.a'), call('1.b', 'skipped')]],
    outcomes: { ask: endings, gateCall: ['allowed', 'suspended'] },
    interference: { cancelRun: true, decisions: ['resume'] },
  }),
  configuration('two calls, watched, after a cancel', {
    options: { watched: [...callPhases, 'afterModel', 'runEnd'] },
    turns: [[call('1.a'), call('1.b', 'suspended')]],
    outcomes: { ask: endings, gateCall: ['allowed', 'suspended'] },
    interference: { cancelRun: true, decisions: ['cancel'] },
  }),
]

const ofExecutors: readonly Configuration[] = [
  configuration('sequential', {
    options: { executor: sequential },
    turns: [[call('1.a'), call('1.b'), call('1.c')]],
    outcomes: { runTool: ['succeeded', 'suspended', 'patched'] },
    interference: { decisions: ['resume'] },
  }),
  configuration('sequential, the first tried again', {
    options: { executor: sequential },
    turns: [[call('1.a', 'allowed', { effects: 'idempotent' }), call('1.b')]],
    outcomes: { runTool: ['succeeded', 'failed', 'retried', 'suspended'] },
    interference: { decisions: ['resume'], cancelCall: true },
  }),
  configuration('sequential, decided early and cancelled', {
    options: { executor: sequential },
    turns: [[call('1.a'), call('1.b')]],
    outcomes: { runTool: ['succeeded', 'suspended'] },
    interference: { decisions: ['resume'], kept: ['resume', 'cancel'], cancelCall: true },
  }),
  configuration('sequential, decided at the gate', {
    options: { executor: sequential, decisions: 'gate', onPartialSuspension: 'wait' },
    turns: [[call('1.a', 'suspended'), call('1.b')]],
    interference: { decisions: bothDecisions, cancelRun: true, fail: true },
  }),
  configuration('batches of two', {
    options: { executor: pairs },
    turns: [[call('1.a', 'suspended'), call('1.b'), call('1.c')]],
    outcomes: { runTool: ['succeeded', 'failed', 'patched'] },
    interference: { decisions: bothDecisions, cancelRun: true },
  }),
  configuration('an exclusive call among others', {
    turns: [[call('1.a', 'suspended'), call('1.b', 'allowed', { isExclusive: true }), call('1.c')]],
    interference: { decisions: ['resume', 'cancel'], cancelRun: true },
  }),
  configuration('two exclusive calls replayed', {
    options: { onPartialSuspension: 'wait' },
    turns: [[call('1.a', 'suspended', { isExclusive: true }), call('1.b', 'suspended')]],
    interference: { decisions: ['resume'] },
  }),
]

const limit = (action: 'stop' | 'error' | 'finish', max: number) => [{ code: 'max_turns' as const, max, action }]

const duration = (action: 'stop' | 'error' | 'finish') => [{ code: 'max_duration' as const, max: 100, action }]

const ofLimits: readonly Configuration[] = [
  ...(['stop', 'error', 'finish'] as const).flatMap((action) => [
    configuration(`limit that is ${action}`, {
      options: { limits: limit(action, 1) },
      turns: [[call('1.a')], [call('2.a')]],
      interference: anyEnd,
    }),
    configuration(`limit that is ${action}, a call suspended`, {
      options: { limits: limit(action, 1) },
      turns: [[call('1.a', 'suspended'), call('1.b')], [call('2.a')]],
      interference: { decisions: bothDecisions, cancelRun: true },
    }),
  ]),
  ...(['stop', 'error', 'finish'] as const).flatMap((action) => [
    configuration(`running time that is ${action}`, {
      options: { limits: duration(action), maxRetries: 1 },
      turns: [[call('1.a', 'suspended'), call('1.b')]],
      outcomes: { callModel: ['calls', 'text', 'busy'] },
      interference: { decisions: bothDecisions, cancelRun: true, fail: true, wake: true },
    }),
    configuration(`running time that is ${action}, in every phase`, {
      options: { limits: duration(action), watched: [...loopPhases, ...callPhases] },
      turns: [[call('1.a')]],
      outcomes: { gateCall: ['allowed', 'suspended'] },
      interference: { decisions: ['resume'], cancelRun: true },
    }),
  ]),
  configuration('running time over while calls wait for their turn', {
    options: { limits: duration('stop'), executor: sequential },
    turns: [[call('1.a'), call('1.b')]],
    outcomes: { runTool: ['succeeded', 'suspended', 'patched'] },
    interference: { decisions: ['resume'], cancelRun: true },
  }),
  configuration('running time over during a final answer', {
    options: { limits: [...limit('finish', 1), ...duration('stop')] },
    turns: [[call('1.a')]],
    interference: anyEnd,
  }),
  configuration('repeated calls noted', {
    options: { repeatLimit: 2 },
    turns: [1, 2, 3].map((turn) => [call(`${turn}.a`, 'allowed', { callHash: 'same' })]),
    outcomes: { runTool: ['succeeded', 'failed'], callModel: ['calls'] },
  }),
  configuration('repeated calls stopped', {
    options: { repeatLimit: 2, stopsOnRepeat: true },
    turns: [1, 2, 3, 4].map((turn) => [call(`${turn}.a`, 'allowed', { callHash: 'same' })]),
    outcomes: { runTool: ['succeeded', 'failed'], callModel: ['calls'] },
  }),
  configuration('repeated calls of one answer stopped', {
    options: { repeatLimit: 1, stopsOnRepeat: true },
    turns: [['1.a', '1.b'].map((callId) => call(callId, 'allowed', { callHash: 'same' })), [call('2.a')]],
    outcomes: { runTool: ['succeeded', 'suspended'], callModel: ['calls'] },
  }),
]

/** Small configurations that together take every transition of every chart. */
export const configurations: readonly Configuration[] = [
  ...ofModels,
  ...ofSingleCalls,
  ...ofPairs,
  ...ofExecutors,
  ...ofLimits,
  ...ofPermissions,
  ...ofMessages,
  ...ofHooks,
]
