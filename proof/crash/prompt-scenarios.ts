import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { acting, approveFirst, call, listener, noKeys, saying, talking } from './scenario-parts.ts'

const idempotent = { effects: 'idempotent' } as const

/** Runs that go on from one that is done, crashed from the moment they are stored. */
export const goingOn: readonly CrashScenario[] = [
  {
    name: 'gone on with a prompt',
    goesOnWith: 'And now?',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], 'One.', [call('a', 'append'), call('b', 'append')], 'Two.'),
      tools: [acting(environment, 'append')],
      plugins: [listener],
    }),
  },
  {
    name: 'gone on, steered between two calls',
    goesOnWith: 'And now?',
    build: (environment) => ({
      name: 'a',
      model: saying('One.', [call('a', 'says'), call('b', 'append')], [call('c', 'append')], 'Done.'),
      tools: [talking(environment, 'steer', 'Stop.'), acting(environment, 'append', idempotent)],
      executor: 'sequential',
    }),
  },
  {
    name: 'gone on, waiting and approved',
    goesOnWith: 'And now?',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], 'One.', [call('a', 'ask'), call('b', 'append')], 'Two.', 'Three.'),
      tools: [acting(environment, 'append'), acting(environment, 'ask', { needs: 'approval' })],
      onPartialSuspension: 'wait',
    }),
    play: async (run, environment, result) => {
      await environment.say('followUp', 'And then?')
      await approveFirst(run)
      return result
    },
  },
  {
    name: 'the third of a session, waiting and approved',
    before: ['And then?'],
    goesOnWith: 'And now?',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], 'One.', [call('b', 'append')], 'Two.', [call('c', 'ask')], 'Three.'),
      tools: [acting(environment, 'append'), acting(environment, 'ask', { needs: 'approval' })],
    }),
    play: (run) => approveFirst(run),
  },
  {
    name: 'gone on with a prompt that is rejected',
    goesOnWith: 'My key is sk-3.',
    refused: 'sk-3',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], 'One.', 'Never said.'),
      tools: [acting(environment, 'append')],
      plugins: [noKeys, { name: 'hooks', beforeRun: () => {}, afterRun: () => {} }],
    }),
  },
]
