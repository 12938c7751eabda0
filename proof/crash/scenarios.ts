import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { cancelling } from './cancel-scenarios.ts'
import { withLongPrompts, withMemory, withRefusedMedia } from './context-scenarios.ts'
import { withFamilies } from './family-scenarios.ts'
import { forking } from './fork-scenarios.ts'
import { looping } from './loop-scenarios.ts'
import { withMcp } from './mcp-scenarios.ts'
import { goingOn } from './prompt-scenarios.ts'
import { acting, approveFirst, approvingMeanwhile, call, hangingUntil, listener, saying } from './scenario-parts.ts'
import { withSteps } from './step-scenarios.ts'
import { withTools } from './tool-scenarios.ts'

const hour = 3_600_000

const plain: readonly CrashScenario[] = [
  { name: 'text only', build: () => ({ name: 'a', model: saying('Hello.') }) },
  {
    name: 'one call',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], 'Done.'),
      tools: [acting(environment, 'append')],
    }),
  },
  {
    name: 'two turns of one call',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], [call('b', 'append')], 'Done.'),
      tools: [acting(environment, 'append')],
    }),
  },
  {
    name: 'three parallel calls',
    parallel: ['a', 'b', 'c'],
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append'), call('b', 'append'), call('c', 'append')], 'Done.'),
      tools: [acting(environment, 'append')],
    }),
  },
  {
    name: 'three parallel, one of them once',
    parallel: ['a', 'b', 'c'],
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'read'), call('b', 'append'), call('c', 'put')], 'Done.'),
      tools: [
        acting(environment, 'read', { effects: 'none' }),
        acting(environment, 'append'),
        acting(environment, 'put', { effects: 'idempotent' }),
      ],
    }),
  },
  {
    name: 'failure and correction',
    build: (environment) => ({
      name: 'a',
      model: saying([{ id: 'a', name: 'append', arguments: {} }], [call('b', 'append')], 'Done.'),
      tools: [acting(environment, 'append')],
    }),
  },
  {
    name: 'listeners in every phase',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append'), call('b', 'ask')], 'Done.'),
      tools: [
        acting(environment, 'append', {
          execute: (_, context) => {
            context.patch([{ path: ['count'], value: 1 }])
            return environment.perform(context, 'appended')
          },
        }),
        acting(environment, 'ask', { needs: 'approval' }),
      ],
      plugins: [listener],
      onPartialSuspension: 'wait',
    }),
    play: approveFirst,
  },
  {
    name: 'limit finish',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], 'My best answer.'),
      tools: [acting(environment, 'append')],
      limits: { maxTurns: 1 },
      onLimit: 'finish',
    }),
  },
]

const asking: readonly CrashScenario[] = [
  {
    name: 'suspension and approval',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Done.'),
      tools: [acting(environment, 'ask', { needs: 'approval' })],
    }),
    play: approveFirst,
  },
  {
    name: 'sequential, its first call suspended',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'ask'), call('b', 'append')], [call('c', 'append')], 'Done.'),
      tools: [acting(environment, 'ask', { needs: 'approval' }), acting(environment, 'append')],
      executor: 'sequential',
    }),
    play: approveFirst,
  },
  {
    name: 'mixed round, approved late',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'put'), call('b', 'ask')], 'One is open.', 'Done.'),
      tools: [acting(environment, 'put', { effects: 'idempotent' }), acting(environment, 'ask', { needs: 'approval' })],
    }),
    play: approveFirst,
  },
  {
    name: 'two pending, one after the other',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'ask'), call('b', 'ask')], 'Done.'),
      tools: [acting(environment, 'ask', { needs: 'approval' })],
    }),
    play: approveFirst,
  },
  {
    name: 'suspended again',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Done.'),
      tools: [
        acting(environment, 'ask', {
          effects: 'idempotent',
          execute: (_, context) =>
            context.decision?.reason === 'second'
              ? environment.perform(context, 'asked twice')
              : context.suspend({ reason: 'input', message: context.decision === undefined ? 'first' : 'second' }),
        }),
      ],
    }),
    play: async (run, _, { suspended }) => {
      for (const { callId, suspension } of suspended) await run.approve(callId, { reason: suspension?.message ?? '' })
    },
  },
  {
    name: 'denied',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'A pity.'),
      tools: [acting(environment, 'ask', { needs: 'approval' })],
    }),
    play: async (run, _, { suspended }) => {
      for (const { callId } of suspended) await run.deny(callId, { reason: 'Not today.' })
    },
  },
  {
    name: 'edited',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Done.'),
      tools: [acting(environment, 'ask', { needs: 'approval' })],
    }),
    play: async (run, _, { suspended }) => {
      for (const { callId } of suspended) await run.edit(callId, { text: 'better' })
    },
  },
  {
    name: 'expired',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Too late.'),
      tools: [
        acting(environment, 'ask', {
          effects: 'none',
          execute: (_, context) => context.suspend({ reason: 'input', expiresAt: environment.startedAt + hour }),
        }),
      ],
      limits: false,
    }),
    play: async (_, environment) => environment.clock.advance(hour),
  },
  {
    name: 'kept decision',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Done.'),
      tools: [
        acting(environment, 'ask', {
          effects: 'idempotent',
          execute: async (_, context) => {
            if (context.decision !== undefined) return environment.perform(context, 'asked')
            await environment.run.approve(context.callId)
            return context.suspend()
          },
        }),
      ],
    }),
    play: approveFirst,
  },
  {
    name: 'decision used as result',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Thanks.'),
      tools: [acting(environment, 'ask', { needs: 'approval', resume: 'use-as-result' })],
    }),
    play: async (run, _, { suspended }) => {
      for (const { callId } of suspended) await run.respond(callId, 'A person did it.')
    },
  },
  {
    name: 'decision passed to the tool',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Thanks.'),
      tools: [acting(environment, 'ask', { needs: 'approval', resume: 'pass-to-tool' })],
    }),
    play: async (run, _, { suspended }) => {
      for (const { callId } of suspended) await run.respond(callId, { text: 'from a person' })
    },
  },
]

const concurrent: readonly CrashScenario[] = [
  ...(['immediate', 'gate'] as const).map((decisions): CrashScenario => ({
    name: `approved during inference (${decisions})`,
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'put'), call('b', 'ask')], approvingMeanwhile(environment, '1.b'), 'Done.'),
      tools: [acting(environment, 'put', { effects: 'idempotent' }), acting(environment, 'ask', { needs: 'approval' })],
      decisions,
    }),
  })),
  {
    name: 'batches, one call alone',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append'), call('b', 'append'), call('c', 'alone'), call('d', 'append')], 'Done.'),
      // An interrupted call would stop the later batches, as any suspension does.
      tools: [
        acting(environment, 'append', { effects: 'idempotent' }),
        acting(environment, 'alone', { effects: 'idempotent', concurrency: 'exclusive' }),
      ],
      executor: { batch: 2 },
    }),
  },
  {
    name: 'provider ids that repeat',
    build: (environment) => ({
      name: 'a',
      model: saying([call('x', 'append'), call('x', 'append')], [call('x', 'append')], 'Done.'),
      tools: [acting(environment, 'append')],
    }),
  },
  {
    name: 'the model fails',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], { error: { kind: 'auth', message: 'No key.' } }),
      tools: [acting(environment, 'append')],
    }),
  },
  {
    name: 'one call cancelled',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'hang'), call('b', 'put')], 'Done.'),
      tools: [
        acting(environment, 'put', { effects: 'idempotent' }),
        hangingUntil(environment, () => environment.run.cancelCall('1.a')),
      ],
    }),
  },
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
