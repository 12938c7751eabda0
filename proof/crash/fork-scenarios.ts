import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { approveFirst, asks, call, scenario } from './scenario-parts.ts'

/** Runs that begin as forks of another. */
export const forking: readonly CrashScenario[] = [
  scenario(
    'fork of a finished run',
    [[call('a', 'append')], [call('b', 'append')], 'Done.'],
    { append: {} },
    { forkedFrom: 'ToolResultsCommitted' },
  ),
  scenario(
    'fork of a waiting run, approved',
    [[call('a', 'append'), call('b', 'ask')], 'Done.'],
    { append: {}, ask: asks },
    { forkedFrom: 'RunFinished', agent: { onPartialSuspension: 'wait' }, play: approveFirst },
  ),
]
