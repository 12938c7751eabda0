import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { acting, approveFirst, call, saying } from './scenario-parts.ts'

/** Runs that begin as forks of another. */
export const forking: readonly CrashScenario[] = [
  {
    name: 'fork of a finished run',
    forkedFrom: 'ToolResultsCommitted',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append')], [call('b', 'append')], 'Done.'),
      tools: [acting(environment, 'append')],
    }),
  },
  {
    name: 'fork of a waiting run, approved',
    forkedFrom: 'RunFinished',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'append'), call('b', 'ask')], 'Done.'),
      tools: [acting(environment, 'append'), acting(environment, 'ask', { needs: 'approval' })],
      onPartialSuspension: 'wait',
    }),
    play: approveFirst,
  },
]
