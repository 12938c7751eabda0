import type { CrashScenario } from '../../src/testing/crash-scenario.ts'
import { forking } from './fork-scenarios.ts'
import { acting, approveFirst, approvingMeanwhile, call, hangingUntil, listener, saying } from './scenario-parts.ts'

const hour = 3_600_000

const plain: readonly CrashScenario[] = [
  { name: 'text only', build: () => ({ name: 'a', model: saying('Hello.') }) },
  {
    name: 'one call',
    build: (world) => ({ name: 'a', model: saying([call('a', 'append')], 'Done.'), tools: [acting(world, 'append')] }),
  },
  {
    name: 'two turns of one call',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'append')], [call('b', 'append')], 'Done.'),
      tools: [acting(world, 'append')],
    }),
  },
  {
    name: 'three parallel calls',
    parallel: ['a', 'b', 'c'],
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'append'), call('b', 'append'), call('c', 'append')], 'Done.'),
      tools: [acting(world, 'append')],
    }),
  },
  {
    name: 'three parallel, one of them once',
    parallel: ['a', 'b', 'c'],
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'read'), call('b', 'append'), call('c', 'put')], 'Done.'),
      tools: [
        acting(world, 'read', { effects: 'none' }),
        acting(world, 'append'),
        acting(world, 'put', { effects: 'idempotent' }),
      ],
    }),
  },
  {
    name: 'failure and correction',
    build: (world) => ({
      name: 'a',
      model: saying([{ id: 'a', name: 'append', arguments: {} }], [call('b', 'append')], 'Done.'),
      tools: [acting(world, 'append')],
    }),
  },
  {
    name: 'listeners in every phase',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'append'), call('b', 'ask')], 'Done.'),
      tools: [
        acting(world, 'append', {
          execute: (_, context) => {
            context.patch([{ path: ['count'], value: 1 }])
            return world.perform(context, 'appended')
          },
        }),
        acting(world, 'ask', { needs: 'approval' }),
      ],
      plugins: [listener],
      onPartialSuspension: 'wait',
    }),
    play: approveFirst,
  },
  {
    name: 'limit finish',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'append')], 'My best answer.'),
      tools: [acting(world, 'append')],
      limits: { maxTurns: 1 },
      onLimit: 'finish',
    }),
  },
]

const asking: readonly CrashScenario[] = [
  {
    name: 'suspension and approval',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Done.'),
      tools: [acting(world, 'ask', { needs: 'approval' })],
    }),
    play: approveFirst,
  },
  {
    name: 'sequential, its first call suspended',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'ask'), call('b', 'append')], [call('c', 'append')], 'Done.'),
      tools: [acting(world, 'ask', { needs: 'approval' }), acting(world, 'append')],
      executor: 'sequential',
    }),
    play: approveFirst,
  },
  {
    name: 'mixed round, approved late',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'put'), call('b', 'ask')], 'One is open.', 'Done.'),
      tools: [acting(world, 'put', { effects: 'idempotent' }), acting(world, 'ask', { needs: 'approval' })],
    }),
    play: approveFirst,
  },
  {
    name: 'two pending, one after the other',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'ask'), call('b', 'ask')], 'Done.'),
      tools: [acting(world, 'ask', { needs: 'approval' })],
    }),
    play: approveFirst,
  },
  {
    name: 'suspended again',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Done.'),
      tools: [
        acting(world, 'ask', {
          effects: 'idempotent',
          execute: (_, context) =>
            context.decision?.reason === 'second'
              ? world.perform(context, 'asked twice')
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
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'A pity.'),
      tools: [acting(world, 'ask', { needs: 'approval' })],
    }),
    play: async (run, _, { suspended }) => {
      for (const { callId } of suspended) await run.deny(callId, 'Not today.')
    },
  },
  {
    name: 'edited',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Done.'),
      tools: [acting(world, 'ask', { needs: 'approval' })],
    }),
    play: async (run, _, { suspended }) => {
      for (const { callId } of suspended) await run.edit(callId, { text: 'better' })
    },
  },
  {
    name: 'expired',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Too late.'),
      tools: [
        acting(world, 'ask', {
          effects: 'none',
          execute: (_, context) => context.suspend({ reason: 'input', expiresAt: world.startedAt + hour }),
        }),
      ],
      limits: false,
    }),
    play: async (_, world) => world.clock.advance(hour),
  },
  {
    name: 'kept decision',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Done.'),
      tools: [
        acting(world, 'ask', {
          effects: 'idempotent',
          execute: async (_, context) => {
            if (context.decision !== undefined) return world.perform(context, 'asked')
            await world.run.approve(context.callId)
            return context.suspend()
          },
        }),
      ],
    }),
    play: approveFirst,
  },
  {
    name: 'decision used as result',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Thanks.'),
      tools: [acting(world, 'ask', { needs: 'approval', resume: 'use-as-result' })],
    }),
    play: async (run, _, { suspended }) => {
      for (const { callId } of suspended) await run.respond(callId, 'A person did it.')
    },
  },
  {
    name: 'decision passed to the tool',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'ask')], 'Thanks.'),
      tools: [acting(world, 'ask', { needs: 'approval', resume: 'pass-to-tool' })],
    }),
    play: async (run, _, { suspended }) => {
      for (const { callId } of suspended) await run.respond(callId, { text: 'from a person' })
    },
  },
]

const concurrent: readonly CrashScenario[] = [
  ...(['immediate', 'gate'] as const).map((decisions): CrashScenario => ({
    name: `approved during inference (${decisions})`,
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'put'), call('b', 'ask')], approvingMeanwhile(world, '1.b'), 'Done.'),
      tools: [acting(world, 'put', { effects: 'idempotent' }), acting(world, 'ask', { needs: 'approval' })],
      decisions,
    }),
  })),
  {
    name: 'batches, one call alone',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'append'), call('b', 'append'), call('c', 'alone'), call('d', 'append')], 'Done.'),
      // An interrupted call would stop the later batches, as any suspension does.
      tools: [
        acting(world, 'append', { effects: 'idempotent' }),
        acting(world, 'alone', { effects: 'idempotent', concurrency: 'exclusive' }),
      ],
      executor: { batch: 2 },
    }),
  },
  {
    name: 'provider ids that repeat',
    build: (world) => ({
      name: 'a',
      model: saying([call('x', 'append'), call('x', 'append')], [call('x', 'append')], 'Done.'),
      tools: [acting(world, 'append')],
    }),
  },
  {
    name: 'the model fails',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'append')], { error: { kind: 'auth', message: 'No key.' } }),
      tools: [acting(world, 'append')],
    }),
  },
  {
    name: 'one call cancelled',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'hang'), call('b', 'put')], 'Done.'),
      tools: [acting(world, 'put', { effects: 'idempotent' }), hangingUntil(world, () => world.run.cancelCall('1.a'))],
    }),
  },
]

const cancelling: readonly CrashScenario[] = [
  {
    name: 'cancelled while it waits',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'put'), call('b', 'ask')], 'Never said.'),
      tools: [acting(world, 'put', { effects: 'idempotent' }), acting(world, 'ask', { needs: 'approval' })],
      onPartialSuspension: 'wait',
    }),
    play: (run) => run.cancel(),
  },
  {
    name: 'cancelled while a tool runs',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'hang')], 'Never said.'),
      tools: [hangingUntil(world, () => world.run.cancel())],
    }),
  },
]

/** The runs that are crashed at every write. */
export const scenarios: readonly CrashScenario[] = [...plain, ...asking, ...concurrent, ...cancelling, ...forking]
