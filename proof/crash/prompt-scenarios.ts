import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { acting, approveFirst, asks, call, idempotent, listener, noKeys, scenario, talking } from './scenario-parts.ts'

/** Runs that go on from one that is done, crashed from the moment they are stored. */
export const goingOn: readonly CrashScenario[] = [
  scenario(
    'gone on with a prompt',
    [[call('a', 'append')], 'One.', [call('a', 'append'), call('b', 'append')], 'Two.'],
    { append: {} },
    { goesOnWith: 'And now?', agent: { plugins: [listener] } },
  ),
  scenario(
    'gone on, steered between two calls',
    ['One.', [call('a', 'says'), call('b', 'append')], [call('c', 'append')], 'Done.'],
    (environment) => [talking(environment, 'steer', 'Stop.'), acting(environment, 'append', idempotent)],
    { goesOnWith: 'And now?', agent: { executor: 'sequential' } },
  ),
  scenario(
    'gone on, waiting and approved',
    [[call('a', 'append')], 'One.', [call('a', 'ask'), call('b', 'append')], 'Two.', 'Three.'],
    { append: {}, ask: asks },
    {
      goesOnWith: 'And now?',
      agent: { onPartialSuspension: 'wait' },
      play: async (run, environment, result) => {
        await environment.say('followUp', 'And then?')
        await approveFirst(run)
        return result
      },
    },
  ),
  scenario(
    'the third of a session, waiting and approved',
    [[call('a', 'append')], 'One.', [call('b', 'append')], 'Two.', [call('c', 'ask')], 'Three.'],
    { append: {}, ask: asks },
    { before: ['And then?'], goesOnWith: 'And now?', play: approveFirst },
  ),
  scenario(
    'gone on with a prompt that is rejected',
    [[call('a', 'append')], 'One.', 'Never said.'],
    { append: {} },
    {
      goesOnWith: 'My key is sk-3.',
      refused: 'sk-3',
      agent: { plugins: [noKeys, { name: 'hooks', beforeRun: () => {}, afterRun: () => {} }] },
    },
  ),
]
