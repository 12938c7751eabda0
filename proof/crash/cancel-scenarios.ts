import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { asks, call, hangingUntil, idempotent, scenario } from './scenario-parts.ts'

/** Runs that are cancelled. */
export const cancelling: readonly CrashScenario[] = [
  scenario(
    'cancelled while it waits',
    [[call('a', 'put'), call('b', 'ask')], 'Never said.'],
    { put: idempotent, ask: asks },
    { agent: { onPartialSuspension: 'wait' }, play: (run) => run.cancel() },
  ),
  scenario('cancelled while a tool runs', [[call('a', 'hang')], 'Never said.'], (environment) => [
    hangingUntil(environment, () => environment.run.cancel()),
  ]),
]
