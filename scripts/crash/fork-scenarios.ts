import type { CrashScenario } from '../../src/testing/crash-scenario.ts'
import { acting, approveFirst, call, saying } from './scenario-parts.ts'

/** Runs that begin as forks of another. */
export const forking: readonly CrashScenario[] = [
  {
    name: 'fork of a finished run',
    forkedFrom: 'ToolResultsCommitted',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'append')], [call('b', 'append')], 'Done.'),
      tools: [acting(world, 'append')],
    }),
  },
  {
    name: 'fork of a waiting run, approved',
    forkedFrom: 'RunFinished',
    build: (world) => ({
      name: 'a',
      model: saying([call('a', 'append'), call('b', 'ask')], 'Done.'),
      tools: [acting(world, 'append'), acting(world, 'ask', { needs: 'approval' })],
      onPartialSuspension: 'wait',
    }),
    play: approveFirst,
  },
]
