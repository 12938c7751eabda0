import type { Run } from '../../src/core/agent/run.ts'
import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { cancelling } from './cancel-scenarios.ts'
import { withLongPrompts, withMemory, withRefusedMedia } from './context-scenarios.ts'
import { withFamilies } from './family-scenarios.ts'
import { forking } from './fork-scenarios.ts'
import { looping } from './loop-scenarios.ts'
import { withMcp } from './mcp-scenarios.ts'
import { goingOn } from './prompt-scenarios.ts'
import {
  acting,
  approveFirst,
  approvingMeanwhile,
  asks,
  call,
  hangingUntil,
  idempotent,
  listener,
  scenario,
} from './scenario-parts.ts'
import { withSteps } from './step-scenarios.ts'
import { withTools } from './tool-scenarios.ts'

const hour = 3_600_000

const plain: readonly CrashScenario[] = [
  scenario('text only', ['Hello.']),
  scenario('one call', [[call('a', 'append')], 'Done.'], { append: {} }),
  scenario('two turns of one call', [[call('a', 'append')], [call('b', 'append')], 'Done.'], { append: {} }),
  scenario(
    'three parallel calls',
    [[call('a', 'append'), call('b', 'append'), call('c', 'append')], 'Done.'],
    { append: {} },
    { parallel: ['a', 'b', 'c'] },
  ),
  scenario(
    'three parallel, one of them once',
    [[call('a', 'read'), call('b', 'append'), call('c', 'put')], 'Done.'],
    { read: { effects: 'none' }, append: {}, put: idempotent },
    { parallel: ['a', 'b', 'c'] },
  ),
  scenario('failure and correction', [[{ id: 'a', name: 'append', arguments: {} }], [call('b', 'append')], 'Done.'], {
    append: {},
  }),
  scenario(
    'listeners in every phase',
    [[call('a', 'append'), call('b', 'ask')], 'Done.'],
    (environment) => [
      acting(environment, 'append', {
        execute: (_, context) => {
          context.patch([{ path: ['count'], value: 1 }])
          return environment.perform(context, 'appended')
        },
      }),
      acting(environment, 'ask', asks),
    ],
    { agent: { plugins: [listener], onPartialSuspension: 'wait' }, play: approveFirst },
  ),
  scenario(
    'limit finish',
    [[call('a', 'append')], 'My best answer.'],
    { append: {} },
    { agent: { limits: { maxTurns: 1 }, onLimit: 'finish' } },
  ),
]

/** Answers every suspended call in the same way; for `play`. */
function answerAll(answer: (run: Run, callId: string) => Promise<unknown>): NonNullable<CrashScenario['play']> {
  return async (run, _, { suspended }) => {
    for (const { callId } of suspended) await answer(run, callId)
  }
}

const asking: readonly CrashScenario[] = [
  scenario('suspension and approval', [[call('a', 'ask')], 'Done.'], { ask: asks }, { play: approveFirst }),
  scenario(
    'sequential, its first call suspended',
    [[call('a', 'ask'), call('b', 'append')], [call('c', 'append')], 'Done.'],
    { ask: asks, append: {} },
    { agent: { executor: 'sequential' }, play: approveFirst },
  ),
  scenario(
    'mixed round, approved late',
    [[call('a', 'put'), call('b', 'ask')], 'One is open.', 'Done.'],
    { put: idempotent, ask: asks },
    { play: approveFirst },
  ),
  scenario(
    'two pending, one after the other',
    [[call('a', 'ask'), call('b', 'ask')], 'Done.'],
    { ask: asks },
    { play: approveFirst },
  ),
  scenario(
    'suspended again',
    [[call('a', 'ask')], 'Done.'],
    (environment) => [
      acting(environment, 'ask', {
        effects: 'idempotent',
        execute: (_, context) =>
          context.decision?.reason === 'second'
            ? environment.perform(context, 'asked twice')
            : context.suspend({ reason: 'input', message: context.decision === undefined ? 'first' : 'second' }),
      }),
    ],
    {
      play: async (run, _, { suspended }) => {
        for (const { callId, suspension } of suspended) await run.approve(callId, { reason: suspension?.message ?? '' })
      },
    },
  ),
  scenario(
    'denied',
    [[call('a', 'ask')], 'A pity.'],
    { ask: asks },
    { play: answerAll((run, callId) => run.deny(callId, { reason: 'Not today.' })) },
  ),
  scenario(
    'edited',
    [[call('a', 'ask')], 'Done.'],
    { ask: asks },
    { play: answerAll((run, callId) => run.edit(callId, { text: 'better' })) },
  ),
  scenario(
    'expired',
    [[call('a', 'ask')], 'Too late.'],
    (environment) => [
      acting(environment, 'ask', {
        effects: 'none',
        execute: (_, context) => context.suspend({ reason: 'input', expiresAt: environment.startedAt + hour }),
      }),
    ],
    { agent: { limits: false }, play: async (_, environment) => environment.clock.advance(hour) },
  ),
  scenario(
    'kept decision',
    [[call('a', 'ask')], 'Done.'],
    (environment) => [
      acting(environment, 'ask', {
        effects: 'idempotent',
        execute: async (_, context) => {
          if (context.decision !== undefined) return environment.perform(context, 'asked')
          await environment.run.approve(context.callId)
          return context.suspend()
        },
      }),
    ],
    { play: approveFirst },
  ),
  scenario(
    'decision used as result',
    [[call('a', 'ask')], 'Thanks.'],
    { ask: { ...asks, resume: 'use-as-result' } },
    { play: answerAll((run, callId) => run.respond(callId, 'A person did it.')) },
  ),
  scenario(
    'decision passed to the tool',
    [[call('a', 'ask')], 'Thanks.'],
    { ask: { ...asks, resume: 'pass-to-tool' } },
    { play: answerAll((run, callId) => run.respond(callId, { text: 'from a person' })) },
  ),
]

const concurrent: readonly CrashScenario[] = [
  ...(['immediate', 'gate'] as const).map((decisions) =>
    scenario(
      `approved during inference (${decisions})`,
      (environment) => [[call('a', 'put'), call('b', 'ask')], approvingMeanwhile(environment, '1.b'), 'Done.'],
      { put: idempotent, ask: asks },
      { agent: { decisions } },
    ),
  ),
  scenario(
    'batches, one call alone',
    [[call('a', 'append'), call('b', 'append'), call('c', 'alone'), call('d', 'append')], 'Done.'],
    // An interrupted call would stop the later batches, as any suspension does.
    { append: idempotent, alone: { ...idempotent, concurrency: 'exclusive' } },
    { agent: { executor: { batch: 2 } } },
  ),
  scenario('provider ids that repeat', [[call('x', 'append'), call('x', 'append')], [call('x', 'append')], 'Done.'], {
    append: {},
  }),
  scenario('the model fails', [[call('a', 'append')], { error: { kind: 'auth', message: 'No key.' } }], { append: {} }),
  scenario('one call cancelled', [[call('a', 'hang'), call('b', 'put')], 'Done.'], (environment) => [
    acting(environment, 'put', idempotent),
    hangingUntil(environment, () => environment.run.cancelCall('1.a')),
  ]),
]

/** The runs that are crashed at every write. */
export const scenarios: readonly CrashScenario[] = [
  ...plain,
  ...asking,
  ...concurrent,
  ...cancelling,
  ...forking,
  ...withSteps,
  ...withTools,
  ...withMcp,
  ...looping,
  ...goingOn,
  ...withLongPrompts,
  ...withRefusedMedia,
  ...withMemory,
  ...withFamilies,
]
