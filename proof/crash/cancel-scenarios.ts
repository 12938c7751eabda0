import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { acting, call, hangingUntil, saying } from './scenario-parts.ts'

/** Runs that are cancelled. */
export const cancelling: readonly CrashScenario[] = [
  {
    name: 'cancelled while it waits',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'put'), call('b', 'ask')], 'Never said.'),
      tools: [acting(environment, 'put', { effects: 'idempotent' }), acting(environment, 'ask', { needs: 'approval' })],
      onPartialSuspension: 'wait',
    }),
    play: (run) => run.cancel(),
  },
  {
    name: 'cancelled while a tool runs',
    build: (environment) => ({
      name: 'a',
      model: saying([call('a', 'hang')], 'Never said.'),
      tools: [hangingUntil(environment, () => environment.run.cancel())],
    }),
  },
]
